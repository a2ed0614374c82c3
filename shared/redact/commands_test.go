package redact_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/redact"
)

var marked = regexp.MustCompile(`«([^»]*)»`)

// hides checks that the marked parts of texts are taken out as a kind, and that nothing else changes: «s3cr3t» is a secret, and a text
// without marks stays.
func hides(t *testing.T, kind string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		given := marked.ReplaceAllString(text, "$1")
		want := marked.ReplaceAllString(text, "[redacted "+kind+"]")
		if got, _ := redact.Redact(given); got != want {
			t.Errorf("%q became %q, want %q", given, got, want)
		}
	}
}

func TestOptionsOfCommands(t *testing.T) {
	hides(t, "password",
		// the forms of an option
		"mycli -u joe -p «aB3dE5fG7hJ9»", "mycli -u joe -p«aB3dE5fG7hJ9»", "mycli -u joe -p=«aB3dE5fG7hJ9»", "mycli -u joe -p", "mycli -p «aB3dE5fG7hJ9» db",
		"mysql -u joe -p«aB3dE5fG7hJ9» db", "mysql -u joe -p=«aB3dE5fG7hJ9» db", "mysql -u joe -p aB3dE5fG7hJ9", "mysql -u joe -p",
		"redis-cli --pass «aB3dE5fG7hJ9»", "redis-cli --pass=«aB3dE5fG7hJ9»", "redis-cli --passaB3dE5fG7hJ9", "redis-cli --pass", "redis-cli -x -a «aB3dE5fG7hJ9»",
		"mysql -p'«aB3dE5fG7hJ9»'", `mysql -p"«aB3dE5fG7hJ9»"`, "mycli -p $'«aB3dE5fG7hJ9»'", "mycli -p '«aB3dE5fG7hJ9»'", "mycli -p $DB_PASS", `mycli -p "$DB_PASS"`, "mycli -p $(cat aB3dE5fG7hJ9)",
		"wmic /user:joe /password:«aB3dE5fG7hJ9»", "xfreerdp /u:joe /p:«aB3dE5fG7hJ9»",
		// the name of the program
		"xmysql -paB3dE5fG7hJ9", "mysqlx -paB3dE5fG7hJ9", "/usr/bin/mysql -p«aB3dE5fG7hJ9»", "mysql8 -p«aB3dE5fG7hJ9»", "MYSQL -p«aB3dE5fG7hJ9»", "(mysql -p«aB3dE5fG7hJ9»", "xhttp -a joe:aB3dE5fG7hJ9", "http -a joe:«aB3dE5fG7hJ9» x.io",
		"mysql x\nmysql -p«aB3dE5fG7hJ9»", "mysql mysql -p«aB3dE5fG7hJ9»",
		// a user's name before it
		"curl -u joe:«aB3dE5fG7hJ9» x.io", "curl -ujoe:«aB3dE5fG7hJ9» x.io", "curl --user joe:«aB3dE5fG7hJ9» x.io", "curl --user=joe:«aB3dE5fG7hJ9» x.io", "curl -u 'joe:«aB3dE5fG7hJ9»' x.io",
		"curl -u joe x.io", "curl -u /aB3/d:E5fG7hJ9 x.io", "curl -u $USER:aB3dE5fG7hJ9 x.io", "curl -u joe:$PASS x.io", "curl -u joe:ab x.io", "curl -u joe:«abz» x.io", "curl -u joe:12345 x.io", "curl -u joe:«123456» x.io",
		"curl -u joe:-xyz x.io", "curl -u joe:«-aB3dE5fG7hJ9» x.io", "curl -u joe:«a:b3dE5fG7» x.io",
		"smbclient -U joe%«aB3dE5fG7hJ9» //h/s", "smbclient -U joe:aB3dE5f //h/s", "lftp -u joe,«aB3dE5fG7hJ9» h", "lftp -u joe:aB3dE5f h", "lftp -e 'open -u joe,«aB3dE5fG7hJ9» h'",
	)
}

func TestValuesOfOptions(t *testing.T) {
	hides(t, "password",
		"redis-cli -a a1b2c", "redis-cli -a «a1b2cx»", "redis-cli -a «hunter2»", "redis-cli -a hunter", "redis-cli -a «zaq!wsx»", "redis-cli -a «xqzjvkwp»", "redis-cli -a xqzjvkw", "redis-cli -a mountain", "redis-cli -a xqzjvkw-", "redis-cli -a changeme1",
		"redis-cli -a sha256", "redis-cli -a /srv/a1", "redis-cli -a ./docs/v2/a1", "redis-cli -a docs-2024", "redis-cli -a h://aB3dE5fG7hJ9", "redis-cli -a -hunter2", "redis-cli -a «-aB3dE5fG7hJ9»", "redis-cli -a /a1b2cx",
	)
}

func TestWordsOfCommands(t *testing.T) {
	hides(t, "password",
		"net user joe «aB3dE5fG7hJ9» /add", "net user joe", "net user -x joe «aB3dE5fG7hJ9»", "net user aB3dE5fG7hJ9", "net use Z: //h/s «aB3dE5fG7hJ9»", "net use Z: aB3dE5fG7hJ9 x", "vault login «aB3dE5fG7hJ9»", "vault login -x «aB3dE5fG7hJ9»",
		"mosquitto_passwd -b f joe «aB3dE5fG7hJ9»", "mosquitto_passwd f joe aB3dE5fG7hJ9", "mosquitto_passwd -bx f joe aB3dE5fG7hJ9", "mosquitto_passwd -c -b f joe «aB3dE5fG7hJ9»", "mosquitto_passwd -b -c f joe «aB3dE5fG7hJ9»",
	)
}

// TestWhereACommandEnds checks that only the words of the command itself are looked at.
func TestWhereACommandEnds(t *testing.T) {
	const pass, kept = "«aB3dE5fG7hJ9»", "aB3dE5fG7hJ9"
	hides(t, "password",
		"mysql x\n-p"+kept, "mysql x | y -p"+kept, "mysql x| y -p"+kept, "mysql x |y -p"+kept, "mysql x|y -p"+pass, "mysql x; y -p"+kept, "mysql x;\ny -p"+kept, "mysql x;y -p"+pass, "mysql x && y -p"+kept, "mysql x&&y -p"+kept, "mysql x & y -p"+pass,
		"mysql x \\\n-p"+pass, "mysql x\\\n-p"+pass, "mysql x \\\r\n-p"+pass, "mysql x `\n-p"+pass, "mysql x ^\n-p"+pass, "mysql x \\y -p"+pass, "mysql x ^y -p"+pass,
		"mysql\tx\t-p"+pass, "`mysql x` -p"+kept, "`mysql x -p"+pass+"`", "mysql -e 'a; b' -p"+pass, "mysql -e \"a | b\" -p"+pass, "mysql -e 'a; b -p"+kept, "mysql -e 'a b -p"+pass, "mysql -e \"a; b' -p"+kept, "mysql -e 'a\nb' -p"+kept,
		"mysql "+strings.Repeat("x ", 480)+"-p"+pass, "mysql "+strings.Repeat("x ", 500)+"-p"+kept, "mysql -p"+pass+" | less",
	)
}

func TestBehindTexts(t *testing.T) {
	hides(t, "password",
		"CREATE USER joe IDENTIFIED BY '«aB3dE5fG7hJ9»'", "identified by '«mountain-x»'", "identified by 'abz'", "identified by 'two words'", "identified by 'sha256'", "identified by '«wxyz»'", "identified by mountain", "identified by «aB3dE5fG7hJ9»;", "identified by «aB3dE5fG7hJ9».)", "identified by   «aB3dE5fG7hJ9»", "identified by ;", "identified by ${PASS}",
		"xidentified by 'aB3dE5f'", "-identified by 'aB3dE5f'", "(identified by '«aB3dE5fG7hJ9»'", "masterauth «aB3dE5fG7hJ9»", "masterauth '«aB3dE5fG7hJ9»'", "masterauth 'mountain'", "masterauth mountain", "masterauth «ab1cd2»", "masterauth ab1c2", "masterauth «mountain7»", "masterauth mount7", "masterauth mounta7", "masterauth «mountai7»", "masterauth m1234567", "masterauth 12345678",
		"masterauth https://h.io/a1b2", "masterauth docs/v1/a2", "masterauth changeme", "masterauth get(a1b2c3)",
	)
}

func TestEchoedPasswords(t *testing.T) {
	hides(t, "password",
		"echo 'joe:«aB3dE5fG7hJ9»' | chpasswd", "echo joe:«aB3dE5fG7hJ9» | sudo chpasswd", "echo joe:«aB3dE5fG7hJ9» |chpasswd", "echo joe aB3dE5fG7hJ9 | chpasswd", "printf 'joe:«aB3dE5fG7hJ9»\\n' | chpasswd", "cat aB3dE5fG7hJ9 | chpasswd", "echo joe:$PASS | chpasswd", "echo joe:abz12 | chpasswd", "echo joe:«abz123» | chpasswd", "echo joe:mountain | chpasswd", "echo joe:docs/v1-a2 | chpasswd", "echo joe:ab12345 | chpasswd", "echo joe:«abz1234» | chpasswd", "echo joe:sha256 | chpasswd",
		"echo «aB3dE5fG7hJ9» | sudo -S ls", "echo \"«aB3dE5fG7hJ9»\" |sudo -S ls", "echo «aB3dE5fG7hJ9» | passwd --stdin joe", "echo «aB3dE5fG7hJ9» | docker login --password-stdin", "printf «aB3dE5fG7hJ9» | gh auth login --with-token", "echo mountain | sudo -S ls", "echo aB3dE5fG7hJ9 > f", "echo «aB3dE5fG7hJ9»   | sudo -S ls",
		"echo aB3dE5fG7hJ9 "+strings.Repeat("x", 120)+" | sudo -S ls",
	)
}

func TestFilesOfOtherPrograms(t *testing.T) {
	hides(t, "password",
		"db.io:5432:app:joe:«abz1»", "db.io:5432:app:joe:abz", "db.io:5432:app:joe", "db.io:54321:app:joe:abz1", "db.io:543x:app:joe:abz1", "db.io:5432:a b:joe:abz1", "db.io:5432:a/b:joe:abz1", "db.io:5432:app:jo e:abz1", "db.io:5432:*:joe:«ab:z1» x", "db.io:5432:app:joe:«abz1»\"", "db.io:5432:app:joe:«abz1»\r\n", "db.io:5432:app:joe:${P}", "db.io:5432:app:joe:«abz1»\nx",
		"machine h.io login joe password «ab1»", "machine h.io\n\tlogin joe\n\tpassword «ab1»", "login joe password \"«ab1»\"", "login joe password '«ab1»'", "login joe password ab", "login joe password abz", "login joe password «a!z»", "login joe account x password «ab1»", "login joe password changeme", "login joe with password x", "login joe\n\n  password «ab1»",
		"ACL SETUSER joe on >«aB3dE5fG7hJ9» ~* +@all", "ACL SETUSER joe on #«0123456789abcdef»", "ACL SETUSER joe on #notes-a1b2", "ACL SETUSER joe on >«aB3dE5f7»", "ACL SETUSER joe on >aB3dE", "ACL SETUSER joe on >mountains", "ACL SETUSER joe on >aB3dE5", "ACL SETUSER joe on <aB3dE5fG7hJ9x",
		"AUTH «aB3dE5fG7hJ9»", "AUTH joe «aB3dE5fG7hJ9»", "AUTH joe x aB3dE5fG7hJ9", "auth aB3dE5fG7hJ9", "xAUTH aB3dE5fG7hJ9", "-AUTH aB3dE5fG7hJ9", "(AUTH '«aB3dE5fG7hJ9»'.", "AUTH joe mountains", "AUTH changeme12!", "AUTH docs/v1-a2/b3-c4",
	)
}
