package redact

import (
	"strings"
	"sync"
)

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
var technical = set(`
	sha1 sha224 sha256 sha384 sha512 sha2 sha3 md4 md5 crc32 ripemd160 blake2 blake2b blake2s blake3 keccak256 argon2 argon2i argon2d argon2id pbkdf2 bcrypt scrypt yescrypt base16 base32 base58 base62 base64 base64url b64 ascii85
	aes128 aes192 aes256 3des des3 rc4 chacha20 salsa20 poly1305 xchacha20 rsa1024 rsa2048 rsa3072 rsa4096 ed25519 ed448 x25519 p256 p384 p521 secp256k1 secp256r1 ecdsa256 hs256 hs384 hs512 rs256 rs384 rs512 es256 es384 es512 ps256
	oauth1 oauth2 oauth 2fa mfa u2f fido2 webauthn2 totp6 x509 pkcs1 pkcs5 pkcs7 pkcs8 pkcs11 pkcs12 p12 k5 krb5 ntlmv1 ntlmv2 tls10 tls11 tls12 tls13 ssl2 ssl3 http1 http2 http3 h2 h3 ipv4 ipv6 ip4 ip6
	utf8 utf16 latin1 iso8601 rfc3339 rfc2617 rfc7519 i18n l10n a11y k8s k3s s3 ec2 r2 d1 db2 e2e p2p b2b b2c win32 win64 x86 x64 amd64 arm64 i386 log4j junit4 junit5 python2 python3 py2 py3 php7 php8 java8 java11 java17 java21 vue2 vue3 angular2 neo4j
	int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 u8 u16 u32 u64 i8 i16 i32 i64 f32 f64 char8 utf8mb4 varchar255 md5crypt sha256crypt sha512crypt sha256sum mysql5 mysql8 postgres13 postgres14 postgres15 postgres16 postgres17 p95 p99 q1 q2 q3 q4 h1 h2 h3 h4 w3c`)

// prose are words that join others, and words that occur in texts about passwords. A value made of them is not a passphrase, and a name
// made of them is a name.
var prose = set(`
	a about after again all also always an and any are as ask asks at back based be because been before below between both but by can cannot change changed changes check checks
	could did do does doing done down during each either else empty even ever every fail fails failed few file files first fix fixes fixed for from get gets give given gives go goes had has have her here his
	how i if in into is it its itself just keep keeps kept know last later least less let like long made make makes many may me might more most much must my need needed needs never new next no not
	nothing now of off old on once one only onto open or other our out over own per please put same see sent set sets shall she should show shown since so some still such take taken than that
	the their them then there these they this those three through time times to today too two under unless until up upon use used user users uses using via want was way we were what when where
	whether which while who whose why will with within without would wrong yes yet you your zero
	access account accounts add added admin agent algorithm allow allowed already alpha app argument asked assert auth author base basic beta bits block bool boolean branch browser build bug button byte bytes cache case chain char chars character characters class clear client cloud code column comment commit component complete completed complex
	config confirm console const count create created crypt current cookie data database date day days debug default delete deleted deny denied derive derived detail details dev device dialog digit digits disable disabled doc docs domain drop email enable enabled encode encoded encoder encrypt encrypted encryption end enter entered entry env
	environment error errors event example exist exists expire expired expires expiry export exported factor false feature field fields flag folder force forgot forgotten form format found function future generate generated generator global group guest handle handler hash hashed hashes hasher hashing header help helper hidden hide hint history host hour hours icon
	id image import index info init initial input inside install instead internal invalid issue item job json key keychain keyring keys kind label layer length letter letters level library limit line link list load local locale lock locked log login logins logout lookup lower machine
	mail main manager mandatory mark master match matches max maximum member message meta method migrate migrated migration min minimum minute minutes missing mode model modal module month ms name names nested network node none normal note notes null number object off okay operator option optional order output owner page panel param parameter part
	pass passed passphrase passwd password passwords path paths pattern pending permission personal phase phone phrase place plain plugin point policies policy pool port post prefix previous print private process product production prod profile project prompt prompted prompts property protect protected protection protocol provide
	provided provider proxy public query queue random range rate raw read reader ready record recover recovery redacted ref refresh refused regex region register release reload remember remote remove removed rename renamed repeat replace replaced reply repo report request requests require required requires reset resets resource response rest result retry review role root rotate rotated rotates rotation route row rule rules run safe salt
	salted sample save saved schema scope script search second seconds secret secrets section secure security select self send sender separate service session sessions settings sha share shared short sign signed signer signing signup single site size slow smoke source spec special staging stage start state status step steps store stored stores
	story strength string strings strong style subject submit sum support switch symbol sync syntax system tab table tag target task team temp template tenant test tested testing tests text ticket title toggle token tokens tool top topic total track true type types unit unknown unlock unset update updated upgrade upper uppercase url valid validate validated validation validator validators value values vault
	variable vars verified verify verifier version view visible warning weak web webhook week widget window word words work worker wrapper write written year years zone lowercase uppercase encoding crypto cipher digest hmac bearer jwt oidc saml sso ldap kerberos ntlm scram pkce plaintext cleartext readonly nullable varchar nvarchar integer bigint number numeric timestamp uuid bytea blob`)
