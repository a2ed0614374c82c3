package redact_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/redact"
)

const (
	lowers  = "abcdefghijklmnopqrstuvwxyz"
	digits  = "0123456789"
	hexes   = digits + "abcdef"
	alnums  = digits + lowers + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	uppers  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + digits
	base32  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	wordish = alnums + "_-"
	base64s = alnums + "+/"
)

// maker generates lookalikes of secrets, so that none stands in this file. Nothing that it made may be left after redaction.
type maker struct {
	*rand.Rand
	made []string
}

func (m *maker) of(alphabet string, n int) string {
	var b strings.Builder
	for range n {
		b.WriteByte(alphabet[m.IntN(len(alphabet))])
	}
	m.made = append(m.made, b.String())
	return b.String()
}

// shown makes parts that may stay.
func (m *maker) shown(alphabet string, n int) string {
	s := m.of(alphabet, n)
	m.made = m.made[:len(m.made)-1]
	return s
}

func (m *maker) uuid() string {
	return m.of(hexes, 8) + "-" + m.of(hexes, 4) + "-4" + m.of(hexes, 3) + "-a" + m.of(hexes, 3) + "-" + m.of(hexes, 12)
}

func (m *maker) jwt() string {
	return "ey" + "J" + m.shown(alnums, 20) + ".ey" + "J" + m.shown(alnums, 40) + "." + m.of(wordish, 43)
}

// samples are forms of secrets: tokens in the forms of providers, and the ways in which people and programs write passwords and keys down.
func samples() map[string]func(m *maker) string {
	s := map[string]func(m *maker) string{}
	token := func(name, prefix, alphabet string, n int) {
		s[name] = func(m *maker) string { return prefix + m.of(alphabet, n) }
	}
	for _, t := range []struct {
		name, prefix, alphabet string
		n                      int
	}{
		{"AWS access key", "AK" + "IA", base32, 16}, {"AWS temporary key", "AS" + "IA", base32, 16}, {"AWS Bedrock", "AB" + "SK", base64s, 120},
		{"Alibaba", "LT" + "AI5t", alnums, 18}, {"Tencent", "AK" + "ID", alnums, 32},
		{"GitHub classic", "gh" + "p_", alnums, 36}, {"GitHub OAuth", "gh" + "o_", alnums, 36}, {"GitHub user", "gh" + "u_", alnums, 36},
		{"GitHub server", "gh" + "s_", alnums, 36}, {"GitHub refresh", "gh" + "r_", alnums, 76}, {"GitHub fine grained", "github" + "_pat_11", wordish, 80},
		{"GitLab personal", "gl" + "pat-", wordish, 20}, {"GitLab deploy", "gl" + "dt-", wordish, 20}, {"GitLab runner", "gl" + "rt-", wordish, 20},
		{"GitLab job", "gl" + "cbt-", wordish, 22}, {"GitLab trigger", "gl" + "ptt-", hexes, 40}, {"GitLab feed", "gl" + "ft-", wordish, 20},
		{"GitLab routable", "gl" + "pat-", wordish + ".", 51}, {"Slack bot", "xo" + "xb-1234567890-", alnums, 24}, {"Slack user", "xo" + "xp-1234567890-", alnums, 32},
		{"Slack app", "xa" + "pp-1-A0", alnums, 60}, {"Slack webhook", "https://hooks.slack" + ".com/services/T0/B0/", alnums, 24},
		{"Discord webhook", "https://discord" + ".com/api/webhooks/1234567890/", wordish, 68}, {"Anthropic", "sk" + "-ant-api03-", wordish, 95},
		{"OpenAI project", "sk" + "-proj-", wordish, 120}, {"OpenAI", "sk" + "-", alnums, 48}, {"OpenAI service", "sk" + "-svcacct-", alnums, 60},
		{"OpenRouter", "sk" + "-or-v1-", hexes, 64}, {"Groq", "gs" + "k_", alnums, 52}, {"xAI", "xa" + "i-", alnums, 80}, {"Replicate", "r8" + "_", alnums, 37},
		{"Perplexity", "pp" + "lx-", alnums, 48}, {"Hugging Face", "hf" + "_", alnums, 34}, {"NVIDIA", "nv" + "api-", wordish, 64}, {"LangSmith", "ls" + "v2_pt_", hexes, 43},
		{"Pinecone", "pc" + "sk_", alnums, 60}, {"Tavily", "tv" + "ly-", alnums, 32}, {"Jina", "ji" + "na_", alnums, 60}, {"ElevenLabs", "sk" + "_", hexes, 48},
		{"Stripe live", "sk" + "_live_", alnums, 24}, {"Stripe restricted", "rk" + "_live_", alnums, 99}, {"Stripe webhook", "wh" + "sec_", alnums, 32},
		{"Square", "sq" + "0atp-", wordish, 22}, {"Square secret", "sq" + "0csp-", wordish, 43}, {"Square production", "EA" + "AAl", wordish, 60},
		{"Facebook", "EA" + "ACEdEose0cBA", alnums, 90}, {"Shippo", "ship" + "po_live_", hexes, 40}, {"EasyPost", "EZ" + "AK", alnums, 54},
		{"Google API", "AI" + "za", wordish, 35}, {"Google OAuth secret", "GOC" + "SPX-", wordish, 28}, {"Google OAuth", "ya" + "29.", wordish, 100},
		{"npm", "np" + "m_", alnums, 36}, {"PyPI", "py" + "pi-AgEIcHlwaS5vcmc", wordish, 80}, {"RubyGems", "ruby" + "gems_", hexes, 48}, {"NuGet", "oy" + "2", lowers + digits, 43},
		{"crates.io", "ci" + "o", alnums, 32}, {"Clojars", "CLO" + "JARS_", hexes, 60}, {"Artifactory", "AK" + "Cp", alnums, 69}, {"Brevo", "xkey" + "sib-", hexes, 64},
		{"Mailgun", "key" + "-", hexes, 32}, {"Resend", "re" + "_", alnums, 32}, {"DigitalOcean", "do" + "p_v1_", hexes, 64}, {"DigitalOcean OAuth", "do" + "o_v1_", hexes, 64},
		{"Linear", "lin" + "_api_", alnums, 40}, {"Atlassian", "AT" + "ATT3xFfGF0", wordish, 180}, {"Bitbucket app password", "AT" + "BB", alnums, 32},
		{"Shopify", "shp" + "at_", hexes, 32}, {"Databricks", "da" + "pi", hexes, 32}, {"Vault", "hv" + "s.", alnums, 90}, {"Docker Hub", "dc" + "kr_pat_", wordish, 27},
		{"Doppler", "dp" + ".pt.", alnums, 43}, {"Supabase", "sb" + "p_", hexes, 40}, {"Supabase secret", "sb" + "_secret_", wordish, 31}, {"Grafana service", "gl" + "sa_", alnums, 41},
		{"Grafana Cloud", "gl" + "c_eyJ", alnums, 60}, {"Sentry", "snt" + "rys_eyJ", alnums, 80}, {"Sentry user", "snt" + "ryu_", hexes, 64}, {"New Relic", "NR" + "AK-", uppers, 27},
		{"Notion", "nt" + "n_", alnums, 46}, {"Notion old", "sec" + "ret_", alnums, 43}, {"Figma", "fi" + "gd_", wordish, 40}, {"Contentful", "CF" + "PAT-", wordish, 43},
		{"Dropbox", "s" + "l.", wordish, 136}, {"Pulumi", "pu" + "l-", hexes, 40}, {"Buildkite", "bk" + "ua_", hexes, 40}, {"CircleCI", "CCI" + "PAT_", alnums, 63},
		{"Netlify", "nf" + "p_", alnums, 36}, {"Fly", "fo" + "1_", wordish, 43}, {"Fly macaroon", "Fly" + "V1 fm2_", base64s, 120}, {"Heroku", "HR" + "KU-", wordish, 60}, {"Render", "rn" + "d_", alnums, 32},
		{"PlanetScale", "ps" + "cale_tkn_", wordish, 43}, {"Vercel", "vc" + "p_", alnums, 56}, {"Tailscale", "ts" + "key-auth-", alnums, 40}, {"Sonar", "sq" + "u_", hexes, 40},
		{"Dynatrace", "dt" + "0c01.", uppers, 80}, {"Prefect", "pn" + "u_", alnums, 36}, {"Typeform", "tf" + "p_", wordish, 50}, {"1Password", "op" + "s_eyJ", base64s, 250},
		{"PostHog", "ph" + "x_", alnums, 43}, {"age", "AGE-SECRET" + "-KEY-1", uppers, 58}, {"Twilio", "S" + "K", hexes, 32},
	} {
		token(t.name, t.prefix, t.alphabet, t.n)
	}
	for name, form := range map[string]func(m *maker) string{
		"Telegram":    func(m *maker) string { return m.shown("123456789", 10) + ":A" + "A" + m.of(wordish, 33) },
		"Discord bot": func(m *maker) string { return "M" + m.of(alnums, 24) + "." + m.of(alnums, 6) + "." + m.of(wordish, 38) },
		"Twitter": func(m *maker) string {
			return strings.Repeat("A", 22) + m.of(alnums, 30) + "%" + "2B" + m.of(alnums, 40)
		},
		"Asana":             func(m *maker) string { return "1/" + m.shown("123456789", 16) + ":" + m.of(hexes, 32) },
		"Azure AD":          func(m *maker) string { return m.of(alnums, 3) + "8" + "Q~" + m.of(alnums+"_-~", 34) },
		"Azure DevOps":      func(m *maker) string { return m.of(lowers+"234567", 52) },
		"Azure DevOps new":  func(m *maker) string { return m.of(alnums, 76) + "AZ" + "DO" + m.of(alnums, 4) },
		"Mailchimp":         func(m *maker) string { return m.of(hexes, 32) + "-us" + "14" },
		"Okta":              func(m *maker) string { return "00" + m.of(alnums, 40) },
		"Terraform":         func(m *maker) string { return m.of(alnums, 14) + ".atlas" + "v1." + m.of(alnums, 67) },
		"Airtable":          func(m *maker) string { return "pa" + "t" + m.of(alnums, 14) + "." + m.of(hexes, 64) },
		"Postman":           func(m *maker) string { return "PM" + "AK-" + m.of(hexes, 24) + "-" + m.of(hexes, 34) },
		"SendGrid":          func(m *maker) string { return "S" + "G." + m.of(alnums, 22) + "." + m.of(wordish, 43) },
		"New Relic licence": func(m *maker) string { return m.of(hexes, 36) + "NR" + "AL" },
		"JWT":               func(m *maker) string { return m.jwt() },
		"private key": func(m *maker) string {
			return "-----BEGIN RSA PRIVATE" + " KEY-----\n" + m.of(base64s, 64) + "\n-----END RSA PRIVATE" + " KEY-----"
		},
		"private key cut": func(m *maker) string { return "-----BEGIN OPENSSH PRIVATE" + " KEY-----\n" + m.of(base64s, 70) },
		"private key in JSON": func(m *maker) string {
			return `"private_key": "-----BEGIN PRIVATE` + ` KEY-----\n` + m.of(base64s, 64) + `\n-----END PRIVATE` + ` KEY-----\n"`
		},
		"PGP key": func(m *maker) string {
			return "-----BEGIN PGP PRIVATE" + " KEY BLOCK-----\n\n" + m.of(base64s, 64) + "\n-----END PGP PRIVATE" + " KEY BLOCK-----"
		},
		"PuTTY key": func(m *maker) string {
			return "PuTTY-User-Key" + "-File-3: ssh-ed25519\nEncryption: none\nPublic-Lines: 1\nAAAA\nPrivate-Lines: 1\n" + m.of(base64s, 44) + "\nPrivate-MAC: ab"
		},
		"JWK":    func(m *maker) string { return `{"kty":"EC","crv":"P-256","d":"` + m.of(wordish, 43) + `"}` },
		"bcrypt": func(m *maker) string { return "$2" + "b$12$" + m.of(alnums+"./", 53) },
		"shadow": func(m *maker) string { return "root:$" + "6$saltsalt$" + m.of(alnums+"./", 86) + ":19000:0" },
		"storage account": func(m *maker) string {
			return "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=" + m.of(base64s, 86) + "==;EndpointSuffix=core.windows.net"
		},
		"shared access": func(m *maker) string {
			return "https://x.blob.core.windows.net/c?sv=2024&sig=" + m.of(alnums, 43) + "%3D"
		},
		"presigned": func(m *maker) string {
			return "https://b.s3.amazonaws.com/k?X-Amz-Expires=60&X-Amz-Signature=" + m.of(hexes, 64)
		},
		"aws secret":            func(m *maker) string { return "aws_secret_access_key = " + m.of(base64s, 40) },
		"AWS secret in env":     func(m *maker) string { return "export AWS_SECRET_ACCESS_KEY=" + m.of(base64s, 40) },
		"rails secret":          func(m *maker) string { return "SECRET_KEY_BASE=" + m.of(hexes, 128) },
		"heroku uuid":           func(m *maker) string { return "HEROKU_API_KEY=" + m.uuid() },
		"api key of letters":    func(m *maker) string { return "API_KEY=" + m.of(lowers, 32) },
		"api key mixed letters": func(m *maker) string { return "API_KEY=" + m.of(lowers+strings.ToUpper(lowers), 28) },
		"api key yaml":          func(m *maker) string { return "datadog:\n  api_key: " + m.of(hexes, 32) + "\n  site: eu" },
		"api key json":          func(m *maker) string { return `{"apiKey":"` + m.of(alnums, 32) + `","region":"eu"}` },
		"api key header":        func(m *maker) string { return "curl -H 'X-Api-Key: " + m.of(alnums, 40) + "' https://api.example.com" },
		"subscription key":      func(m *maker) string { return "Ocp-Apim-Subscription-Key: " + m.of(hexes, 32) },
		"client secret":         func(m *maker) string { return `client_secret = "` + m.of(alnums, 32) + `"` },
		"access token query": func(m *maker) string {
			return "https://api.example.com/v1?access_token=" + m.of(alnums, 40) + "&page=2"
		},
		"refresh token":  func(m *maker) string { return `"refresh_token": "` + m.of(wordish, 60) + `"` },
		"encryption key": func(m *maker) string { return "ENCRYPTION_KEY=" + m.of(base64s, 43) + "=" },
		"wireguard": func(m *maker) string {
			return "[Interface]\nPrivateKey = " + m.of(base64s, 43) + "=\nAddress = 10.0.0.2/32"
		},
		"django":               func(m *maker) string { return "SECRET_KEY = 'django-insecure-" + m.of(alnums+"!@#$%^&*", 50) + "'" },
		"pagerduty":            func(m *maker) string { return "PAGERDUTY_INTEGRATION_KEY=" + m.of(hexes, 32) },
		"token prose":          func(m *maker) string { return "the deploy token is " + m.of(alnums, 32) + " for now" },
		"token go":             func(m *maker) string { return `const apiToken = "` + m.of(alnums, 40) + `"` },
		"token in python dict": func(m *maker) string { return `os.environ["SERVICE_TOKEN"] = "` + m.of(alnums, 30) + `"` },
		"token option":         func(m *maker) string { return "deploy --token " + m.of(alnums, 36) + " --env prod" },
		"token option =":       func(m *maker) string { return "deploy --auth-token=" + m.of(alnums, 36) },
		"escaped json":         func(m *maker) string { return `"{\"token\": \"` + m.of(alnums, 32) + `\"}"` },
		"xml":                  func(m *maker) string { return "<apiKey>" + m.of(alnums, 32) + "</apiKey>" },
		"markdown":             func(m *maker) string { return "- **Token:** `" + m.of(alnums, 32) + "`" },
		"bearer":               func(m *maker) string { return "Authorization: Bearer " + m.of(alnums, 40) },
		"bearer alone":         func(m *maker) string { return "send bearer " + m.of(alnums, 40) + " with it" },
		"basic":                func(m *maker) string { return "Authorization: Basic " + m.of(alnums, 27) + "=" },
		"authorization token":  func(m *maker) string { return `"Authorization": "Token ` + m.of(hexes, 40) + `"` },
		"cookie":               func(m *maker) string { return "Cookie: session=" + m.of(alnums, 32) + "; theme=dark" },
		"set-cookie":           func(m *maker) string { return "Set-Cookie: sid=" + m.of(hexes, 32) + "; HttpOnly" },
		"docker config":        func(m *maker) string { return `{"auths":{"r.example.com":{"auth":"` + m.of(alnums, 30) + `=="}}}` },
		"npmrc":                func(m *maker) string { return "//registry.example.com/:_authToken=" + m.uuid() },
		"npmrc auth":           func(m *maker) string { return "_auth=" + m.of(alnums, 24) + "==" },
		"netrc":                func(m *maker) string { return "machine api.example.com login joe password " + m.of(alnums, 12) },
		"pgpass":               func(m *maker) string { return "db.local:5432:app:joe:" + m.of(alnums, 14) },
		"curl":                 func(m *maker) string { return "curl -s -u joe:" + m.of(alnums, 10) + " https://x.example.com" },
		"curl long":            func(m *maker) string { return "curl https://x.example.com --user 'joe:" + m.of(alnums, 10) + "'" },
		"sshpass":              func(m *maker) string { return "sshpass -p '" + m.of(alnums, 10) + "' ssh host" },
		"mysql":                func(m *maker) string { return "mysql -h db -u root -p" + m.of(alnums, 12) + " app" },
		"docker login":         func(m *maker) string { return "docker login -u joe -p " + m.of(alnums, 16) + " r.example.com" },
		"redis-cli":            func(m *maker) string { return "redis-cli -h c -a " + m.of(alnums, 16) + " ping" },
		"pgpassword":           func(m *maker) string { return "PGPASSWORD=" + m.of(alnums, 12) + " psql -h db" },
		"sql":                  func(m *maker) string { return "CREATE USER joe IDENTIFIED BY '" + m.of(alnums, 12) + "';" },
		"sql role":             func(m *maker) string { return "ALTER ROLE joe WITH PASSWORD '" + m.of(alnums, 12) + "1';" },
		"url":                  func(m *maker) string { return "postgres://app:" + m.of(alnums, 12) + "@db.local:5432/app" },
		"url with @": func(m *maker) string {
			return "mysql://app:" + m.of(alnums, 6) + "@" + m.of(alnums, 6) + "@db.local/app"
		},
		"url with /": func(m *maker) string {
			return "redis://:" + m.of(alnums, 6) + "/" + m.of(alnums, 6) + "@cache.local:6379/0"
		},
		"url token":  func(m *maker) string { return "git clone https://" + m.of(alnums, 40) + "@github.com/x/y.git" },
		"url oauth2": func(m *maker) string { return "https://oauth2:" + m.of(alnums, 20) + "@gitlab.com/x/y.git" },
		"url mongo": func(m *maker) string {
			return "mongodb+srv://u:" + m.of(alnums, 16) + "@c0.abcde.mongodb.net/?retryWrites=true"
		},
		"url amqp": func(m *maker) string { return "amqps://u:" + m.of(alnums, 32) + "@h.rmq.cloudamqp.com/v" },
		"odbc": func(m *maker) string {
			return "Server=db;Database=app;User Id=sa;Password=" + m.of(alnums, 12) + "9;Encrypt=true"
		},
		"jdbc": func(m *maker) string {
			return "jdbc:postgresql://db/app?user=joe&password=" + m.of(alnums, 12) + "9&ssl=true"
		},
		"password env":        func(m *maker) string { return "DB_PASSWORD=" + m.of(alnums, 12) },
		"password of letters": func(m *maker) string { return "DB_PASSWORD=" + m.of(lowers, 12) },
		"password yaml":       func(m *maker) string { return "password: " + m.of(alnums, 12) + "7z" },
		"password json":       func(m *maker) string { return `{"user":"joe","password":"` + m.of(alnums, 12) + `7z"}` },
		"password prose":      func(m *maker) string { return "The password is " + m.of(alnums, 10) + "3x. Keep it." },
		"password marks": func(m *maker) string {
			return "password=" + m.of(lowers, 5) + "!" + m.of(lowers, 5) + "#" + m.of(lowers, 3)
		},
		"password slash":  func(m *maker) string { return "password=" + m.of(lowers, 6) + "2x/" + m.of(alnums, 12) },
		"password comma":  func(m *maker) string { return "password=" + m.of(alnums, 8) + "7," + m.of(alnums, 8) },
		"password ini":    func(m *maker) string { return "[client]\npassword = " + m.of(alnums, 12) + "5f" },
		"password option": func(m *maker) string { return "tool --password " + m.of(alnums, 12) + "5f --yes" },
		"passphrase":      func(m *maker) string { return "passphrase: " + m.of(alnums, 16) + "4q" },
		"passphrase of words": func(m *maker) string {
			return "passphrase: " + m.of(lowers, 6) + "-" + m.of(lowers, 7) + "-" + m.of(lowers, 6)
		},
		"passphrase with spaces": func(m *maker) string {
			return "The passphrase is " + m.of(lowers, 6) + " " + m.of(lowers, 7) + " " + m.of(lowers, 6) + " " + m.of(lowers, 8)
		},
		"passphrase in quotes": func(m *maker) string {
			return `password = "` + m.of(lowers, 6) + " " + m.of(lowers, 7) + " " + m.of(lowers, 6) + " " + m.of(lowers, 8) + `"`
		},
		"password of words": func(m *maker) string {
			return "password: " + m.of(lowers, 6) + "-" + m.of(lowers, 7) + "-" + m.of(lowers, 6) + "-" + m.of(lowers, 8)
		},
		"passcode":     func(m *maker) string { return "passcode: " + m.of("123456789", 12) },
		"passwort":     func(m *maker) string { return "Passwort: " + m.of(alnums, 10) + "8k" },
		"mot de passe": func(m *maker) string { return "Mot de passe : " + m.of(alnums, 10) + "8k" },
		"contraseña":   func(m *maker) string { return "contraseña: " + m.of(alnums, 10) + "8k" },
		"пароль":       func(m *maker) string { return "пароль: " + m.of(alnums, 10) + "8k" },
		"pwd":          func(m *maker) string { return "uid=sa;pwd=" + m.of(alnums, 10) + "8k;" },
		"stuck prefix": func(m *maker) string { return "x" + "gh" + "p_" + m.of(alnums, 36) },
		"in a name":    func(m *maker) string { return "my_" + "gh" + "p_" + m.of(alnums, 36) },
		"in a path":    func(m *maker) string { return "/tmp/" + "gl" + "pat-" + m.of(alnums, 20) + "/x" },
		"overlap":      func(m *maker) string { return "password=" + "gh" + "p_" + m.of(alnums, 36) + "/" + m.of(alnums, 20) },
		"overlap url": func(m *maker) string {
			return "https://x:" + "gh" + "p_" + m.of(alnums, 36) + "-" + m.of(alnums, 8) + "@github.com"
		},
		"php":               func(m *maker) string { return "define('DB_PASSWORD', '" + m.of(alnums, 12) + "5!');" },
		"setter":            func(m *maker) string { return `conn.setPassword("` + m.of(alnums, 12) + `5z")` },
		"kubernetes secret": func(m *maker) string { return "data:\n  password: " + m.of(alnums, 14) + "==" },
		"htpasswd":          func(m *maker) string { return "htpasswd -b .htpasswd joe " + m.of(alnums, 10) },
		"sqlcmd":            func(m *maker) string { return "sqlcmd -S db -U sa -P " + m.of(alnums, 10) },
		"smbclient":         func(m *maker) string { return "smbclient //h/s -U joe%" + m.of(alnums, 10) },
		"password is:":      func(m *maker) string { return "the password is: " + m.of(alnums, 10) + "5z" },
		"password aside":    func(m *maker) string { return "Password (staging): " + m.of(alnums, 10) + "5z" },
		"mdp":               func(m *maker) string { return "mdp: " + m.of(alnums, 10) + "5z" },
		"contraseña alone": func(m *maker) string {
			return "contraseña " + m.of(lowers, 3) + "5z7" + m.of(lowers, 3) + "4" + m.of(alnums, 5)
		},
		"app.config":          func(m *maker) string { return `<add key="ApiKey" value="` + m.of(alnums, 30) + `" />` },
		"key in an address":   func(m *maker) string { return "https://maps.example.com/x?q=1&key=" + m.of(alnums, 32) },
		"key for prod":        func(m *maker) string { return "the API key for prod: " + m.of(hexes, 32) },
		"token alone":         func(m *maker) string { return "use token " + m.of(alnums, 32) + " there" },
		"docker -e":           func(m *maker) string { return "docker run -e MYSQL_ROOT_PASSWORD=" + m.of(lowers, 8) + "2 mysql" },
		"JWT secret of words": func(m *maker) string { return "JWT_SECRET=super" + m.of(lowers, 12) },
		"padded JWT": func(m *maker) string {
			return "ey" + "J" + m.shown(alnums, 20) + "==.ey" + "J" + m.shown(alnums, 30) + "==." + m.of(wordish, 43)
		},
		"powershell": func(m *maker) string { return "ConvertTo-SecureString '" + m.of(alnums, 14) + "' -AsPlainText" },
		"openssl":    func(m *maker) string { return "openssl rsa -in k -passin pass:" + m.of(alnums, 12) },
	} {
		s[name] = form
	}
	return s
}

// leaked returns a generated secret, or a longer part of one, that is still readable; "" for none.
func leaked(clean string, made []string) string {
	for _, part := range made {
		if len(part) >= 5 && strings.Contains(clean, part) {
			return part
		}
	}
	return ""
}

func TestSecretsAreFound(t *testing.T) {
	all := forms(t)
	if len(all) < 500 {
		t.Fatalf("%d samples", len(all))
	}
	const seeds = 20
	missed := map[string]int{}
	for name, form := range all {
		for seed := range uint64(seeds) {
			m := draw(seed)
			secret := form(m)
			for _, text := range []string{secret, "Deploys use it: " + secret + "\nand so on", "see (" + secret + ")."} {
				if (strings.Contains(name, "pgpass") || strings.Contains(name, "csv") || strings.Contains(name, "heading")) && text != secret {
					continue // a line of its own
				}
				clean, kinds := redact.Redact(text)
				if part := leaked(clean, m.made); part != "" || len(kinds) == 0 {
					missed[name]++
					t.Logf("%s: %q became %q", name, text, clean)
					break
				}
			}
		}
	}
	wrong := 0
	for name, n := range missed {
		wrong += n
		if n > seeds/4 {
			t.Errorf("%s: missed %d of %d", name, n, seeds)
		}
	}
	if share := float64(wrong) / float64(len(all)*seeds); share > 0.03 {
		t.Errorf("%.1f %% of %d samples in %d forms are missed", share*100, len(all)*seeds, len(all))
	} else {
		t.Logf("%d forms, %d samples, %.2f %% missed", len(all), len(all)*seeds, share*100)
	}
}

// traps look like secrets but are not.
func traps(m *maker) []string {
	hash := func(n int) string { return m.of(hexes, n) }
	return []string{
		"passphrase: required", "passphrase: not set", "passphrase: see-the-vault", "password: must-be-changed", "password: read-only-user", "passphrase: from-the-environment",
		"password: min-length-eight", "password: one-time-use-only", "passphrase: kept-in-keychain", "passphrase: ask Ann for the one of this month", "the passphrase is stored in the vault of the team",
		`password: "correct horse"`, "password: forgot-password-reset-form", `passphrase: "correct horse battery`, "passcode: 1234", "pass: 31415926", "password: must never be shown to another person",
		"", "the token bucket refills every second", "password: see the vault", "set PASSWORD=${DB_PASSWORD}", `token = os.Getenv("TOKEN")`,
		`password = os.Getenv("X")`, "password = process.env.DB_PASSWORD", "postgres://user:password@localhost/db", "postgres://localhost:5432/db",
		"the secret is to keep transactions short", "https://example.com/a:b@c", "commit " + hash(40) + " fixed it", "sha256:" + hash(64),
		"api_key: see docs/2024/keys.md", "uuid " + m.uuid(), "sk-learn is scikit-learn", "pass --token-file to the CLI", "the key is user_id",
		"access token lifetime is 15 minutes", "Basic authentication for internal services", "auth token: config.v2.token", "git show " + hash(7),
		`"integrity": "sha512-` + m.of(base64s, 86) + `=="`, "h1:" + m.of(base64s, 43) + "=", "  resolved \"https://registry.npmjs.org/left-pad/-/left-pad-1.3.0.tgz#" + hash(40) + "\"",
		"data:image/png;base64," + m.of(base64s, 800), "![logo](data:image/svg+xml;base64," + m.of(base64s, 300) + ")", "image: app@sha256:" + hash(64),
		"password=<your password>", "API_KEY=your-api-key-here", "API_KEY=xxxxxxxxxxxxxxxxxxxxxxxx", "token: YOUR_TOKEN_HERE", "export TOKEN=$(vault read -field=token x)",
		"secretKeyRef:\n  name: database-credentials\n  key: password", "secretName: web-tls-7f9c4d", "password: {{ .Values.db.password }}", "password: !vault |", "type: password",
		`<input type="password" name="password" autocomplete="current-password">`, "func (s *Store) Token(ctx context.Context) (string, error)", "if token == nil { return errNoToken }",
		"tokenizer: BertTokenizerFast", "max_tokens: 4096", "next_page_token=" + m.of(alnums, 40), "partition_key: " + m.uuid(), "idempotency_key: " + m.uuid(), "cache_key = " + hash(64),
		"public_key: " + m.of(base64s, 44), "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + m.of(base64s, 43) + " joe@host", "-----BEGIN PUBLIC KEY-----\n" + m.of(base64s, 64) + "\n-----END PUBLIC KEY-----",
		"-----BEGIN CERTIFICATE-----\n" + m.of(base64s, 64) + "\n-----END CERTIFICATE-----", "https://github.com/x/y/blob/" + hash(40) + "/main.go#L10", "git@github.com:x/y.git", "ssh://git@github.com:22/x/y.git",
		"http://localhost:8080/path@2x.png", "https://registry.npmjs.org:443/@scope/pkg", "mailto:joe@example.com", "docker run -u 1000:1000 app", "curl -u $USER:$PASS https://x", "curl https://example.com/a:b",
		"password must be at least 8 characters", "reset password: required", "the token is valid for 24h", "Token: string `json:\"token\"`", "passwordHash := hash(password)", "password = getPassword(user1)",
		"go test ./shared/token/... -run TestToken2", "rename secret-service-v2 to secret-store", "AKIA is how AWS keys begin", "ghp_ tokens have 36 characters after the prefix", "cookie: consent=accepted; theme=dark", "Cookie banner: shown once",
		"session_id column is TEXT", "w-1rqnnn9d1q claimed t-1rqnnngybj", "m-1rqnnn9d1q, s-1rqnnpg5j0", "bypass: true", "compass=north2south", "MY_PATH=/usr/local/secrets/app.key", "PASSWORD_FILE=/run/secrets/db-pass2",
		"password: /run/secrets/db_password", "the password policy is: 12 characters, 2 digits", "secret: production-database-2024", "version 1.2.3-beta.4+build.5", "TOKEN_URL=https://login.example.com/oauth2/token",
		"api key rotation is every 90 days", "See API key docs: https://docs.example.com/v1/keys", "credentials: include", "credential.helper=osxkeychain", "Authorization: required", "authorization: see middleware/auth2.go",
		"The keys are k1, k2 and k3", "def get_secret(name: str) -> str:", "const password = useRef(null)", "password: z.string().min(8)", "SECRET_NAME=production-database-password", "token=abc", `t.Setenv("SECRET", "42")`, "password rules v1.2.3 apply", "token validation failed for session", "the secret name `db-credentials-v2` is read", "--- PASS: TestAddrs/ipv4-in-ipv6+zone (0.00s)", `{"session_id":"0f8fad5b","cwd":"/"}`, "7za -ppassword test.7z", "pwd=/home/joe/src/app2", "pwd: /work/main-2",
		"Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor", "5f2b8c1e-file.txt", "arn:aws:iam::123456789012:role/deploy", "claim token 12 of task t-1rqnnngybj", "password=$1", "users.password = excluded.password",
	}
}

// Harmless texts stay unchanged.
func TestTrapsStay(t *testing.T) {
	const seeds = 20
	var all []string
	for seed := range uint64(seeds) {
		all = append(all, traps(&maker{Rand: rand.New(rand.NewPCG(seed, 9))})...)
	}
	texts := lines(t, "harmless.txt")
	if len(texts) < 350 {
		t.Fatalf("%d harmless texts", len(texts))
	}
	for _, text := range texts {
		text = strings.ReplaceAll(text, "⏎", "\n")
		all = append(all, text, "Note: "+text+" (see above).", text+"\nAnd then go on.")
	}
	for _, text := range all {
		if clean, kinds := redact.Redact(text); clean != text || kinds != nil {
			t.Errorf("%q became %q", text, clean)
		}
	}
}
