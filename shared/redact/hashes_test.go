package redact_test

import (
	"strings"
	"testing"
)

func TestHashesOfPasswords(t *testing.T) {
	const hex = "8846f7eaee8fb117ad06bdd830b7586c"
	const crypt = "Xq7rT9vLm2Kp4Wz8Yb3Nc6Jd1Hf5Gs0Aa"
	bcrypt := "$2b$12$" + crypt + "RtYuIoPlKjHgFdSaZxCv"
	long := strings.Repeat(crypt, 3)
	hides(t, "password hash",
		// dumps of Windows
		"joe:500:«"+hex+":"+hex+"»:::", "joe:500:"+hex+":"+hex[1:]+":::", "joe:500:"+hex[1:]+":"+hex+":::", "joe:500:"+hex+hex+":::", "joe:500:"+hex+"/"+hex+":::", "joe:500:0"+hex+":"+hex+":::", "joe:500:"+hex+":0"+hex+":::",
		// PostgreSQL, SQL Server and MySQL
		"'«md5"+hex+"»'", `"«md5`+hex+`»"`, "«md5"+hex+"»", "x md5"+hex, "'md5"+hex[1:]+"'", "'md5"+hex+"0'", "'MD5"+hex+"'", "'md5"+strings.Repeat("0", 32)+"'",
		"p = «0x0100"+hex+hex[:16]+"»", "p = 0x0100"+hex+hex[:11], "p = «0x0200"+hex+hex[:12]+"»", "p = 0x0200"+strings.Repeat("0", 60), "p = «0x0200"+hex+hex+hex+hex+hex[:16]+"»", "p = 0x0200"+hex+hex+hex+hex+hex[:17],
		"identified by password '«*"+strings.ToUpper(hex)+"A1B2C3D4»'", "as '*"+strings.ToUpper(hex)+"A1B2C3D'", "as '«*"+strings.ToUpper(hex)+"A1B2C3D4»'", "as '*"+strings.ToUpper(hex)+"A1B2C3D45'", "as '*"+strings.Repeat("0", 40)+"'",
		// signs
		"joe:«"+bcrypt+"»:19000:0:::", "«"+bcrypt+"», and", "«"+bcrypt+"».", "x«"+bcrypt+"»", "$2b$12$"+crypt, strings.ToUpper(bcrypt[:3])+bcrypt[3:], "$2b$12$"+strings.Repeat("a", 60),
		"«$6$salt$"+long+"»", "$6$salt$"+long[:60], "«$1$ab$"+crypt[:22]+"»", "$1$ab"+crypt[:22], "«$P$B"+crypt[:30]+"»", "$P$B"+crypt[:29], "$p$b"+crypt[:30],
		"«pbkdf2_sha256$1000$salt$"+long+"»", "xpbkdf2_sha256$1000$salt$"+long, "-«pbkdf2_sha256$1000$salt$"+long+"»", "«{SSHA}"+crypt[:28]+"»", "x«{SSHA}"+crypt[:28]+"»", "{SSHA}"+crypt[:27],
		"«sha1$salt$"+hex+"a1b2c3d4»", "sha1$salt$short", "sha1$"+hex+"a1b2c3d4", "sha1$salt$"+hex[:26]+"#"+hex, "«md5$salt$"+hex+"»", "«sha256$salt$"+hex+hex+"»",
	)
}
