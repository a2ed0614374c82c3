package redact

import (
	_ "embed"
	"strings"
	"sync"
)

// A core is the part of a name that marks the value beside it as secret.
type core struct {
	word string
	kind string
	glue glue
}

// glue is which text may stand right before a core in a name.
type glue int

const (
	free  glue = iota // letters: dbpassword
	apart             // a mark, or a capital that begins a word: db_pass, dbPass, DBPASS
	alone             // no part of a name
	keyed             // one of the words that make a key secret
)

// Kinds of secrets that names announce.
const (
	password = "password"
	secret   = "secret"
	cookie   = "cookie"
	granted  = "authorization"
	login    = "login" // a user's name and a password behind it
)

// cores in English and in code.
var cores = []core{
	{"password", password, free}, {"passwd", password, free}, {"passphrase", password, free}, {"pass phrase", password, apart}, {"pass-phrase", password, apart}, {"pass_phrase", password, apart}, {"passcode", password, free}, {"pass code", password, apart}, {"pass_code", password, apart},
	{"pwd", password, free}, {"pass", password, apart}, {"psw", password, apart}, {"passw", password, apart}, {"pword", password, apart}, {"passkey", secret, apart}, {"kennwort", password, free},
	{"secret", secret, free}, {"token", secret, free}, {"credential", secret, free}, {"bearer", granted, apart}, {"authorization", granted, apart}, {"cookie", cookie, apart},
	{"key", secret, keyed}, {"psk", secret, apart}, {`"auth"`, secret, alone}, {"_auth", secret, free}, {"secret_id", secret, apart}, {"secretid", secret, apart}, {"secret-id", secret, apart},
	{"_salt", secret, free}, {"pepper", secret, apart}, {"signature", secret, apart}, {"requirepass", password, free}, {"masterauth", password, free}, {"auth_pass", password, free},
	{"dockerconfigjson", secret, free}, {"dockercfg", secret, free}, {"creds", login, apart}, {"credentials", login, apart}, {"login", login, apart}, {"user/pass", login, apart}, {"user/password", login, apart}, {"username/password", login, apart}, {"login/password", login, apart}, {"username / password", login, apart}, {"user / password", login, apart},
	{"mnemonic", password, apart}, {"seed phrase", password, apart}, {"seed_phrase", password, apart}, {"recovery phrase", password, apart}, {"recovery code", secret, apart}, {"recovery_code", secret, apart}, {"backup code", secret, apart}, {"backup_code", secret, apart}, {"p/w", password, alone}, {"pin code", password, apart}, {"community string", password, apart},
}

// pwCores are the places where pw stands in names; alone it is too short to look for.
var pwCores = []string{"_pw", "-pw", ".pw", "pw:", "pw=", "pw ", `pw"`, "pw'", "pw|", "pw`", "pw*", "pw<", "pw_", "pw\t", "pw："}

// spoken are the words for a password, a key and a token in other languages, as written there, also with separate combining marks.
var spoken = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		password: {
			"passwort", "passwörter", "passwo\u0308rter", "zugangscode", "losungswort", "mot de passe", "mots de passe", "code d'accès", "phrase secrète", "mdp", "contraseña", "contrasen\u0303a", "contrasena", "contraseñas", "clave de acceso", "clave", "frase de paso",
			"parola d'ordine", "parola chiave", "senha", "palavra-passe", "palavra passe", "palavra-chave", "wachtwoord", "wachtwoorden", "wachtzin", "lösenord", "lösenordet", "lo\u0308senord", "losenord", "lösen", "adgangskode", "adgangskoden", "kodeordet", "kodeord", "passord", "passordet", "salasana", "tunnussana", "hasło", "hasła", "hasłem", "haslo", "heslo", "heslá",
			"пароль", "пароля", "пароли", "кодовое слово", "密码", "密碼", "口令", "パスワード", "暗証番号", "合言葉", "パスフレーズ", "비밀번호", "암호", "패스워드", "şifre", "s\u0327ifre", "sifre", "parola", "parolă", "jelszó", "jelszo", "lozinka", "lozinku", "geslo", "parole", "slaptažodis", "κωδικός", "סיסמה", "סיסמא", "كلمة المرور", "كلمة السر", "mật khẩu", "kata sandi", "sandi", "รหัสผ่าน", "पासवर्ड",
		},
		secret: {
			"api-schlüssel", "schlüssel", "geheimschlüssel", "geheimnis", "zugangsschlüssel", "clé api", "clé d'api", "cle api", "cle\u0301 api", "clé secrète", "clé privée", "jeton", "clave api", "clave de api", "clave secreta", "clave privada", "secreto", "ficha de acceso",
			"chiave api", "chiave segreta", "chiave privata", "gettone", "chave api", "chave de api", "chave da api", "chave secreta", "chave privada", "segredo", "sleutel", "api-sleutel", "geheim", "nyckel", "api-nyckel", "hemlighet", "klucz api", "klucz", "sekret", "klíč", "api klíč", "tajemství", "ключ api", "api-ключ", "ключ", "секрет", "токен",
			"密钥", "密鑰", "令牌", "秘钥", "访问令牌", "api密钥", "apiキー", "キー", "トークン", "シークレット", "秘密鍵", "api 키", "키", "토큰", "시크릿", "anahtar", "jelző",
		},
	}
})

// qualifiers make a key secret when they stand before it.
var qualifiers = set(`api access private priv secret auth authentication authorization encryption encrypt encrypted decryption decrypt cipher crypto crypt signing sign signature master account subscription
	license licence service shared preshared integration deploy deployment app application storage admin hmac jwt jws jwk aes des rsa ssh session cookie webhook client consumer server root ingest ingestion write routing functions function wrapping
	transit backup vapid wireguard wg wpa wifi network security unseal recovery activation product registration enrollment join bot user developer dev partner merchant vendor tenant team personal bearer token broker agent hash salt
	openai anthropic claude google gcp maps gemini github gitlab stripe sendgrid twilio mailgun mailchimp datadog algolia newrelic aws azure cohere mistral groq hf huggingface replicate pinecone supabase firebase fcm pusher sentry honeycomb grafana cloudflare digitalocean linode vultr heroku vercel netlify fastly
	slack discord telegram notion airtable linear asana jira figma dropbox box paypal square braintree shopify plaid coinbase binance kraken infura alchemy etherscan moralis okta auth0 clerk postmark resend brevo segment amplitude mixpanel posthog launchdarkly openrouter deepseek xai elevenlabs deepgram assemblyai serp serpapi tavily exa brave bing weather openweather fernet paseto cloudinary razorpay midtrans xendit flutterwave paystack mollie adyen opencage ipstack fixer newsapi alphavantage polygon finnhub coingecko steam riot twitch imgur flickr vimeo zoom calendly typeform mailjet sparkpost vonage nexmo plivo messagebird sinch telnyx onesignal pushbullet pushover ifttt zapier statuspage uptimerobot hetzner scaleway ovh exoscale civo upcloud ngrok tailscale zerotier consul nomad rancher gitea bitbucket circleci travis drone sonarqube artifactory jfrog nexus docker quay langchain langsmith wandb kaggle comet roboflow stability together fireworks anyscale perplexity voyage jina nomic
	mapbox here tomtom giphy tmdb unsplash pexels youtube twitter facebook spotify zendesk intercom hubspot salesforce pagerduty opsgenie bugsnag rollbar codecov sonar snyk npm nuget pypi rubygems cachix algod`)

// notSecret are parts of names that only sound secret, with marks as _.
var notSecret = []string{"public_key", "publickey", "primary_key", "foreign_key", "cache_key", "sort_key", "partition_key", "idempotency_key", "page_token", "pagetoken", "next_token", "nexttoken",
	"continuation", "cancellation", "cancel_token", "csrf_cookie", "row_key", "object_key", "translation_key", "unique_key", "registry_key", "index_key", "no_password", "host_key", "lookup_key", "publishable", "sync_token", "synctoken", "access_key_id", "key_id", "cursor_token",
	"max_token", "maxtoken", "num_token", "total_token", "prompt_token", "completion_token", "input_token", "output_token", "pad_token", "eos_token", "bos_token", "unk_token", "sep_token", "cls_token", "mask_token", "stop_token", "special_token", "nextpagetoken", "design_token", "upload_token_", "site_key", "sitekey", "delivery_signature", "type_signature"}

// tails are words that may follow a core in a name: its stage, form or number.
var tails = byFirst("base64", "base", "b64", "production", "prod", "development", "dev", "staging", "stage", "test", "live", "main", "primary", "secondary", "old", "new", "value", "val", "string", "str", "text", "txt", "plain", "raw", "default", "current", "previous", "temp", "tmp", "backup",
	"master", "root", "admin", "db", "api", "again", "confirmation", "confirm", "repeat", "hex", "key", "local", "eu", "us", "a", "b", "0", "1", "2", "3")

// overShort are words that contain pass.
var overShort = []string{"BY", "COM", "TRES", "SUR", "OVER", "UNDER", "TRANS", "ENCOM", "TEST", "IM"}

// glued are words that stand before pass and pw without a mark.
var glued = []string{"user", "db", "store", "key", "smtp", "my", "root", "admin", "ssh", "require", "mail", "email", "ftp", "sql", "mysql", "pg", "redis", "bind", "ldap", "imap", "proxy", "sudo", "vnc", "rdp", "wifi", "auth", "mqtt", "http", "net", "app", "master", "login", "truststore", "keystore", "ks", "ts", "dba", "sys", "web", "site", "base", "old", "new", "usr", "u", "db2", "jdbc", "amqp", "rabbit", "mongo", "es", "ipmi", "snmp", "s"}

func set(words string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		m := map[string]bool{}
		for w := range strings.FieldsSeq(words) {
			m[w] = true
		}
		return m
	})
}

// technical are words with a number in them that are not passwords.
//
//go:embed technical.txt
var technicalWords string

var technical = set(technicalWords)

// prose are words that join others, and words that occur in texts about passwords. A value made of them is not a passphrase, and a name
// made of them is a name.
//
//go:embed prose.txt
var proseWords string

var prose = set(proseWords)
