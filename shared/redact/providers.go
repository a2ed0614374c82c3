package redact

import "strings"

// tokens are the forms that providers document or show in their consoles.
var tokens = []token{
	{"AWS key", "ABSK", base64, 80, true}, {"AWS session token", "IQoJb3JpZ2lu", base64, 100, true},
	{"AWS session token", "FwoGZXIvYXdz", base64, 100, true}, {"Alibaba key", "LTAI", alphanum, 16, true}, {"Tencent key", "AKID", alphanum, 32, true},
	{"GitHub token", "ghp_", alphanum, 36, false}, {"GitHub token", "gho_", alphanum, 36, false}, {"GitHub token", "ghu_", alphanum, 36, false},
	{"GitHub token", "ghs_", alphanum, 36, false}, {"GitHub token", "ghr_", alphanum, 36, false}, {"GitHub token", "github_pat_", word, 22, false},
	{"GitLab token", "glpat-", dotted, 20, false}, {"GitLab token", "gldt-", dotted, 20, false}, {"GitLab token", "glrt-", dotted, 20, false},
	{"GitLab token", "glcbt-", dotted, 20, false}, {"GitLab token", "glptt-", dotted, 20, false}, {"GitLab token", "glft-", dotted, 20, false},
	{"GitLab token", "glsoat-", dotted, 20, false}, {"GitLab token", "glagent-", dotted, 20, false}, {"GitLab token", "gloas-", dotted, 20, false},
	{"GitLab token", "glimt-", dotted, 20, false}, {"GitLab token", "GR1348941", word, 20, true}, {"Slack token", "xoxb-", word, 20, false},
	{"Slack token", "xoxp-", word, 20, false}, {"Slack token", "xoxa-", word, 20, false}, {"Slack token", "xoxr-", word, 20, false},
	{"Slack token", "xoxs-", word, 20, false}, {"Slack token", "xoxe-", word, 20, false}, {"Slack token", "xoxo-", word, 20, false},
	{"Slack token", "xoxd-", wide, 20, false}, {"Slack token", "xoxc-", word, 20, false}, {"Slack token", "xoxe.xox", dotted, 20, false},
	{"Slack token", "xapp-", word, 20, false}, {"Slack webhook", "https://hooks.slack.com/", base64, 24, false},
	{"Discord webhook", "https://discord.com/api/webhooks/", base64, 60, false},
	{"Discord webhook", "https://discordapp.com/api/webhooks/", base64, 60, false},
	{"Zapier webhook", "https://hooks.zapier.com/hooks/catch/", base64, 10, false}, {"Anthropic key", "sk-ant-", word, 20, false},
	{"OpenRouter key", "sk-or-", word, 20, true}, {"OpenAI key", "sk-proj-", word, 20, true}, {"OpenAI key", "sk-", word, 20, true},
	{"OpenAI key", "sess-", alphanum, 40, true}, {"Groq key", "gsk_", alphanum, 40, false}, {"xAI key", "xai-", alphanum, 40, false},
	{"Replicate token", "r8_", alphanum, 30, true}, {"Perplexity key", "pplx-", alphanum, 32, false}, {"Hugging Face token", "hf_", alphanum, 30, true},
	{"Hugging Face token", "api_org_", alphanum, 30, false}, {"NVIDIA key", "nvapi-", word, 40, false}, {"LangSmith key", "lsv2_", word, 32, false},
	{"Pinecone key", "pcsk_", word, 40, false}, {"Tavily key", "tvly-", word, 24, false}, {"Jina key", "jina_", word, 40, false},
	{"LlamaCloud key", "llx-", word, 32, true}, {"Cerebras key", "csk-", alphanum, 32, true}, {"Fireworks key", "fw_", alphanum, 22, true},
	{"ElevenLabs key", "sk_", alphanum, 40, true}, {"Langfuse key", "sk-lf-", word, 30, false}, {"Stripe key", "sk_live_", alphanum, 10, false},
	{"Stripe key", "sk_test_", alphanum, 10, false}, {"Stripe key", "rk_live_", alphanum, 10, false}, {"Stripe key", "rk_test_", alphanum, 10, false},
	{"Stripe key", "pk_live_", alphanum, 20, true}, {"Stripe key", "whsec_", base64, 20, false}, {"Square token", "sq0atp-", word, 22, false},
	{"Square token", "sq0csp-", word, 40, false}, {"Square token", "EAAA", word, 56, true}, {"Facebook token", "EAA", alphanum, 80, true},
	{"Braintree token", "access_token$", wide, 30, false}, {"Shippo token", "shippo_", word, 40, false}, {"EasyPost key", "EZAK", alphanum, 54, true},
	{"EasyPost key", "EZTK", alphanum, 54, true}, {"Flutterwave key", "FLWSECK", word, 30, false}, {"Plaid token", "access-production-", word, 36, false},
	{"Plaid token", "access-sandbox-", word, 36, false}, {"Plaid token", "access-development-", word, 36, false}, {"Google key", "AIza", word, 35, true},
	{"Google key", "GOCSPX-", word, 20, false}, {"Google key", "ya29.", dotted, 20, false}, {"Google key", "1//0", word, 40, true},
	{"npm token", "npm_", alphanum, 36, true}, {"PyPI token", "pypi-AgE", word, 36, false}, {"PyPI token", "pypi-", word, 40, true},
	{"RubyGems key", "rubygems_", hexadecimal, 40, false}, {"NuGet key", "oy2", alphanum, 43, true}, {"crates.io token", "cio", alphanum, 32, true},
	{"Clojars token", "CLOJARS_", hexadecimal, 40, false}, {"Packagist token", "packagist_", word, 40, true},
	{"Artifactory key", "AKCp", alphanum, 60, true}, {"Artifactory key", "cmVmdGtu", alphanum, 50, true}, {"SendGrid key", "SG.", dotted, 40, true},
	{"Brevo key", "xkeysib-", word, 60, false}, {"Mailgun key", "key-", hexadecimal, 32, true}, {"Mandrill key", "md-", word, 22, true},
	{"Resend key", "re_", word, 20, true}, {"Telnyx key", "KEY0", word, 40, true}, {"DigitalOcean token", "dop_v1_", hexadecimal, 60, false},
	{"DigitalOcean token", "doo_v1_", hexadecimal, 60, false}, {"DigitalOcean token", "dor_v1_", hexadecimal, 60, false},
	{"Cloudflare token", "v1.0-", word, 140, false}, {"Cloudflare token", "cfut_", word, 40, false}, {"Cloudflare token", "cfat_", word, 40, false},
	{"Linear key", "lin_api_", alphanum, 20, false}, {"Linear key", "lin_oauth_", alphanum, 20, false}, {"Linear key", "lin_wh_", alphanum, 20, false},
	{"Atlassian token", "ATATT3", base64, 40, true}, {"Atlassian token", "ATCTT3", base64, 40, true}, {"Bitbucket password", "ATBB", base64, 24, true},
	{"Shopify token", "shpat_", hexadecimal, 32, false}, {"Shopify token", "shpca_", hexadecimal, 32, false},
	{"Shopify token", "shppa_", hexadecimal, 32, false}, {"Shopify token", "shpss_", hexadecimal, 32, false},
	{"Databricks token", "dapi", word, 32, true}, {"Vault token", "hvs.", word, 24, false}, {"Vault token", "hvb.", word, 24, false},
	{"Vault token", "hvr.", word, 24, false}, {"Docker token", "dckr_pat_", word, 20, false}, {"Docker token", "dckr_oat_", word, 20, false},
	{"Doppler token", "dp.pt.", dotted, 20, false}, {"Doppler token", "dp.st.", dotted, 20, false}, {"Doppler token", "dp.ct.", dotted, 20, false},
	{"Doppler token", "dp.sa.", dotted, 20, false}, {"Supabase key", "sbp_", word, 40, false}, {"Supabase key", "sb_secret_", word, 20, false},
	{"Grafana token", "glsa_", word, 36, false}, {"Grafana token", "glc_", base64, 32, false}, {"Grafana token", "eyJrIjoi", base64, 60, true},
	{"Sentry token", "sntrys_", base64, 40, false}, {"Sentry token", "sntryu_", hexadecimal, 40, false}, {"New Relic key", "NRAK-", alphanum, 27, false},
	{"New Relic key", "NRII-", word, 25, false}, {"New Relic key", "NRJS-", hexadecimal, 19, false}, {"New Relic key", "NRRA-", hexadecimal, 40, false},
	{"Notion token", "ntn_", alphanum, 40, false}, {"Notion token", "secret_", alphanum, 40, true}, {"Figma token", "figd_", word, 36, false},
	{"Figma token", "figu_", word, 36, false}, {"Figma token", "figo_", word, 36, false}, {"Airtable token", "pat", dotted, 60, true},
	{"Postman key", "PMAK-", word, 50, false}, {"Dropbox token", "sl.", dotted, 60, true}, {"Contentful token", "CFPAT-", word, 40, false},
	{"Terraform token", "ATLAS", dotted, 60, true}, {"Pulumi token", "pul-", hexadecimal, 40, false},
	{"Buildkite token", "bkua_", hexadecimal, 40, false}, {"Buildkite token", "bkat_", word, 40, false}, {"CircleCI token", "CCIPAT_", word, 40, false},
	{"CircleCI token", "CCIPRJ_", word, 40, false}, {"Netlify token", "nfp_", alphanum, 36, false}, {"Netlify token", "nfc_", alphanum, 36, false},
	{"Netlify token", "nfo_", alphanum, 36, false}, {"Netlify token", "nfu_", alphanum, 36, false}, {"Fly token", "FlyV1 ", wide, 40, false},
	{"Fly token", "fo1_", word, 40, false}, {"Fly token", "fm2_", wide, 60, false}, {"Fly token", "fm1", wide, 60, true},
	{"Heroku key", "HRKU-", word, 36, false}, {"Render key", "rnd_", alphanum, 24, true}, {"PlanetScale key", "pscale_", dotted, 32, true},
	{"Neon key", "napi_", alphanum, 40, false}, {"Vercel token", "vcp_", alphanum, 32, false}, {"Vercel token", "vck_", alphanum, 32, false},
	{"Tailscale key", "tskey-", word, 20, true}, {"Sonar token", "squ_", hexadecimal, 40, false}, {"Sonar token", "sqp_", hexadecimal, 40, false},
	{"Sonar token", "sqa_", hexadecimal, 40, false}, {"Dynatrace token", "dt0c01.", dotted, 60, false}, {"Dynatrace token", "dt0s01.", dotted, 60, false},
	{"Prefect key", "pnu_", alphanum, 36, false}, {"ReadMe key", "rdme_", alphanum, 60, false}, {"Sourcegraph token", "sgp_", word, 40, false},
	{"Typeform token", "tfp_", wide, 40, false}, {"Adafruit key", "aio_", alphanum, 28, false}, {"Adobe secret", "p8e-", alphanum, 32, false},
	{"Infracost key", "ico-", alphanum, 32, true}, {"1Password token", "ops_eyJ", base64, 60, false}, {"Mapbox token", "sk.eyJ", dotted, 40, false},
	{"LaunchDarkly key", "sdk-", word, 36, true}, {"LaunchDarkly key", "api-", word, 36, true}, {"Duffel token", "duffel_", word, 40, true},
	{"Yandex key", "AQVN", word, 35, true}, {"Snyk token", "snyk_", dotted, 36, true}, {"Axiom token", "xaat-", word, 36, false},
	{"PostHog key", "phx_", alphanum, 40, false}, {"Mailersend token", "mlsn.", alphanum, 50, false},
	{"age key", "AGE-SECRET-KEY-1", alphanum, 58, false}, {"GitLab token", "glrtr-", dotted, 20, false}, {"GitLab token", "glffct-", dotted, 20, false},
	{"GitLab token", "glwt-", dotted, 20, false}, {"GitLab token", "_gitlab_session=", hexadecimal, 32, false}, {"Slack token", "xwfp-", word, 20, false},
	{"Google webhook", "https://chat.googleapis.com/v1/spaces/", graphic, 60, false}, {"Google key", "GOOG1E", capital, 50, true},
	{"Google key", "GOOG", capital, 20, true}, {"OpenAI key", "sk-admin-", word, 20, true}, {"Together key", "tgp_v1_", word, 40, false},
	{"Cohere key", "co_", alphanum, 36, true}, {"Voyage key", "pa-", word, 40, true}, {"Mistral key", "mistral-", alphanum, 30, true},
	{"E2B key", "e2b_", hexadecimal, 36, false}, {"Exa key", "exa_", word, 30, true}, {"Firecrawl key", "fc-", hexadecimal, 32, true},
	{"Browserbase key", "bb_live_", word, 24, false}, {"Context7 key", "ctx7sk-", word, 30, false}, {"Composio key", "ak_", word, 20, true},
	{"Langfuse key", "pk-lf-", word, 30, true}, {"Helicone key", "sk-helicone-", word, 20, false}, {"Portkey key", "pk-portkey-", word, 20, false},
	{"Deepgram key", "dg_", alphanum, 32, true}, {"AssemblyAI key", "aai_", alphanum, 28, true}, {"Weights and Biases key", "wandb_v1_", word, 32, false},
	{"Kaggle key", "KGAT_", alphanum, 28, false}, {"Clerk key", "sk_clerk_", alphanum, 20, false}, {"Polar token", "polar_oat_", alphanum, 32, false},
	{"Polar token", "polar_pat_", alphanum, 32, false}, {"Lemon Squeezy key", "lmsq_", alphanum, 30, true}, {"Paddle key", "pdl_live_", word, 30, false},
	{"Paddle key", "pdl_sdbx_", word, 30, false}, {"Razorpay key", "rzp_live_", alphanum, 14, false}, {"Razorpay key", "rzp_test_", alphanum, 14, false},
	{"Adyen key", "AQE", base64, 60, true}, {"PayPal token", "access_token$production$", word, 30, false}, {"PayPal token", "A21AA", word, 60, true},
	{"GoCardless token", "live_", base64, 40, true}, {"Mollie key", "live_", alphanum, 30, true}, {"Mollie key", "test_", alphanum, 30, true},
	{"Mailtrap token", "mt_", hexadecimal, 32, true}, {"Loops key", "loops_", hexadecimal, 32, true}, {"Courier key", "pk_prod_", capital, 26, true},
	{"Courier key", "pk_test_", capital, 26, true}, {"Novu key", "novu_", alphanum, 30, true}, {"Trigger.dev key", "tr_dev_", alphanum, 20, false},
	{"Trigger.dev key", "tr_prod_", alphanum, 20, false}, {"Inngest key", "signkey-prod-", hexadecimal, 32, false},
	{"Inngest key", "signkey-test-", hexadecimal, 32, false}, {"Convex key", "prod:", base64, 60, true}, {"Turso token", "tur_", word, 40, true},
	{"Xata key", "xau_", alphanum, 34, false}, {"MongoDB key", "mdb_sa_sk_", word, 30, false}, {"Confluent key", "cflt", base64, 50, true},
	{"Aiven token", "AVNS_", word, 16, false}, {"Aiven token", "aivenv1", base64, 60, false}, {"Elastic key", "essu_", base64, 40, false},
	{"Honeycomb key", "hcaik_", alphanum, 50, false}, {"Honeycomb key", "hcxik_", alphanum, 50, false}, {"Honeycomb key", "hcamk_", alphanum, 50, false},
	{"Datadog key", "ddapp_", alphanum, 30, false}, {"Datadog key", "ddpat_", word, 30, false}, {"Better Stack token", "bst_", alphanum, 24, true},
	{"Rollbar token", "rpat_", word, 30, false}, {"Bugsnag key", "bugsnag_", hexadecimal, 32, true}, {"Highlight key", "hlt_", alphanum, 24, true},
	{"Splunk token", "splunk_", alphanum, 30, true}, {"Checkly key", "cu_", hexadecimal, 32, true}, {"Statsig key", "secret-", alphanum, 40, true},
	{"Statsig key", "console-", alphanum, 40, true}, {"Flagsmith key", "ser.", alphanum, 20, true}, {"Split key", "sdk_", hexadecimal, 40, true},
	{"Amplitude key", "amp_", hexadecimal, 32, true}, {"HubSpot token", "pat-na1-", word, 36, false}, {"HubSpot token", "pat-eu1-", word, 36, false},
	{"HubSpot token", "pat-na2-", word, 36, false}, {"HubSpot key", "eu1-", word, 36, true}, {"Intercom token", "dG9rO", base64, 40, true},
	{"ClickUp token", "pk_", capital, 36, true}, {"Trello token", "ATTA", hexadecimal, 60, true}, {"Atlassian token", "ATOA", base64, 40, true},
	{"Shortcut token", "sct_rw_", word, 30, false}, {"Shortcut token", "sct_ro_", word, 30, false},
	{"Miro token", "eyJtaXJvLm9yaWdpbiI6", base64, 20, false}, {"Canva token", "cnva", word, 40, true}, {"Webflow token", "ws-", hexadecimal, 60, true},
	{"Prismic token", "MC5", wide, 40, true}, {"Infisical token", "st.", dotted, 60, true}, {"Boundary token", "at_", alphanum, 60, true},
	{"Scaleway key", "SCW", capital, 17, true}, {"IBM key", "ApiKey-", word, 40, true}, {"Oracle key", "ocid1.credential.", dotted, 60, false},
	{"Cloudflare key", "cfk_", word, 40, false}, {"Deno token", "ddp_", alphanum, 36, false}, {"Deno token", "ddo_", alphanum, 36, false},
	{"JSR token", "jsrp_", alphanum, 40, true}, {"JFrog token", "reftkn:", wide, 40, false}, {"Sonar token", "sqb_", hexadecimal, 40, false},
	{"GitGuardian token", "ggtt-", word, 20, false}, {"Snyk token", "snyk_sat.", dotted, 30, false}, {"Snyk token", "snyk_uat.", dotted, 30, false},
	{"Socket token", "sktsec_", word, 30, false}, {"Endor token", "endr+", word, 16, false}, {"Bitrise token", "bitpat_", word, 30, false},
	{"Mapbox token", "tk.eyJ", dotted, 40, false}, {"Alchemy key", "alcht_", word, 30, false}, {"Alchemy key", "alch_", word, 30, true},
	{"Twitch key", "oauth:", alphanum, 28, true}, {"Discord token", "mfa.", word, 60, false}, {"Instagram token", "IGQ", word, 80, true},
	{"Instagram token", "IGAA", word, 60, true}, {"LinkedIn secret", "WPL_AP1.", wide, 16, false}, {"TikTok token", "act.", wide, 40, true},
	{"Yandex token", "y0_", word, 40, true}, {"Yandex token", "t1.9eu", dotted, 60, false}, {"Yandex key", "YCAJE", word, 20, true},
	{"Yandex key", "YCM", word, 36, true}, {"VK token", "vk1.a.", word, 60, false}, {"Tencent key", "IKID", alphanum, 32, true},
	{"Baidu key", "ALTAK", alphanum, 20, true}, {"Volcano key", "AKLT", alphanum, 30, true}, {"Nylas key", "nyk_v0_", alphanum, 40, false},
	{"Nylas key", "nyk_", alphanum, 50, false}, {"SendinBlue key", "xsmtpsib-", word, 60, false}, {"Frame.io token", "fio-u-", word, 60, false},
	{"Defined token", "dnkey-", word, 40, false}, {"Doppler token", "dp.scim.", dotted, 20, false}, {"Doppler token", "dp.audit.", dotted, 20, false},
	{"Prefect key", "pnb_", alphanum, 36, false}, {"dbt token", "dbtu_", word, 30, false}, {"dbt token", "dbtc_", word, 30, false},
	{"dbt token", "dbts_", word, 30, false}, {"Retool token", "retool_", word, 30, false}, {"Cal.com key", "cal_live_", hexadecimal, 30, false},
	{"Cal.com key", "cal_", hexadecimal, 32, true}, {"n8n key", "n8n_api_", hexadecimal, 40, false}, {"Pipedream key", "pd_", hexadecimal, 32, true},
	{"Stytch secret", "secret-live-", word, 36, false}, {"Stytch secret", "secret-test-", word, 36, false}, {"Zapier key", "sk-ak-", word, 20, false},
	{"Cursor key", "key_", hexadecimal, 60, true}, {"Cursor key", "crsr_", hexadecimal, 40, false}, {"Sourcegraph token", "sgd_", word, 40, false},
	{"Sourcegraph token", "slk_", hexadecimal, 60, true}, {"Gitea token", "gto_", alphanum, 40, true}, {"Modal token", "as-", alphanum, 22, true},
	{"Modal token", "ak-", alphanum, 22, true}, {"RunPod key", "rpa_", capital, 40, false}, {"Lambda key", "secret_", dotted, 60, true},
	{"Ollama key", "ollama_", word, 30, true}, {"Roboflow key", "rf_", alphanum, 20, true}, {"Unkey key", "unkey_", alphanum, 20, false},
	{"Dub key", "dub_", alphanum, 24, true}, {"Documenso key", "api_", alphanum, 16, true}, {"Liveblocks key", "sk_prod_", word, 20, false},
	{"Liveblocks key", "sk_dev_", word, 20, false}, {"PubNub key", "sec-c-", base64, 40, false}, {"PubNub key", "pub-c-", word, 36, true},
	{"PubNub key", "sub-c-", word, 36, true}, {"OneSignal key", "os_v2_app_", alphanum, 60, false}, {"OneSignal key", "os_v2_org_", alphanum, 60, false},
	{"Apify token", "apify_api_", alphanum, 30, false}, {"Scrapfly key", "scp-live-", hexadecimal, 32, false}, {"FCM key", "AAAA", wide, 140, true},
}

// A token is a form of secret that is recognised by its beginning.
type token struct {
	kind    string
	prefix  string
	letters alphabet // of what follows the prefix
	least   int      // characters after the prefix, at least
	loose   bool     // the prefix is short or a word: no letter or digit may stand before it, and what follows must look made
}

// longestLoose is how many bytes a token with a short prefix has at most: a longer run is data.
const longestLoose = 1024

// tokenSigns makes a sign of each form.
func tokenSigns() []sign {
	signs := make([]sign, 0, len(tokens))
	for rank := range tokens {
		one := &tokens[rank]
		signs = append(signs, sign{strings.ToLower(one.prefix), func(t *text, at int) { one.find(t, at, rank) }, rank})
	}
	return signs
}

// find adds the token that stands at t.s[at:].
func (k *token) find(t *text, at, rank int) {
	body := at + len(k.prefix)
	if t.s[at:body] != k.prefix || k.loose && at > 0 && is(t.s[at-1], word) {
		return
	}
	end := t.trim(body, t.end(k.letters, body), ".,:") // without the punctuation of the sentence
	if end-body < k.least || k.loose && end-body > longestLoose {
		return
	}
	if n := len(t.hits); n > 0 && at >= t.hits[n-1].from && end <= t.hits[n-1].to && rank >= t.hits[n-1].rank {
		return
	}
	value := t.judged(body, end)
	if different(value) < 4 || k.loose && !madeUp(value) {
		return
	}
	t.add(at, end, k.kind, rank)
}
