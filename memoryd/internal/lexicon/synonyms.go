// Package lexicon knows English words of questions and their answers: which stand for each other, which any question may have,
// what kind of thing is asked for, and whether a text holds it. It reads no registry.
package lexicon

import (
	"strings"

	"github.com/agit-suite/agit/shared/text/words"
)

// Words of one line are used for each other: abbreviations and short forms
// first, then what developers and then people say in different words. A question
// asks for the others too, for less. What stands before a colon is what those
// after it are kinds of: these are not used for each other. Two words written as one
// ("bringup") are those that a question may write apart.
const synonymLines = `
retain retention keep kept
k8s kubernetes gke eks aks
minor child underage
codec encode encoding
cpp cplusplus
policy rule
payout pay paid
maintenance downtime down
backup backedup
undo revert rollback roll reverse
bringup spinup start up launch boot
pullrequest mergerequest pr mr
continuousintegration ci pipeline build
backend server api
identity authentication auth login sso oidc idp
sso auth login
mfa 2fa otp
env envvar variable
webhook notification callback event hook
pdf render document
twice duplicate double
unpaid overdue dunning
collection agency debt
invoice bill billing
export copy dump
gdpr privacy personal
mobile android ios
approve review sign reviewer
owner own maintain responsible
pager oncall rota rotation
paging page alert pages
false falsely spurious bogus
retry resend redeliver
locally local laptop
machine laptop local locally
teardown down stop
bootstrap setup install
onboard onboarding setup
workaround fix hack
cause due because
sunset deprecated retire removed off
decommission retire shutdown
host hosted hosting run
hostname host server machine
url endpoint address link
port listen
credential login password secret key
secret vault credential token
bucket s3 storage
artifact build binary
formatter lint format prettier
linter lint
orm sql
table column schema
schema migration ddl
replica standby follower secondary
primary master leader
failover switchover promote
shard partition
dedupe deduplicate duplicate unique
idempotent idempotency twice
race concurrent concurrency
memory ram heap oom
oom memory killed
disk storage volume space
bandwidth traffic network
dns domain nameserver
proxy gateway ingress nginx envoy
loadbalancer lb ingress
firewall network
staging stage preprod
tenant customer account
subscription plan contract
feature flag toggle
toggle flag switch
rollout canary release
hotfix patch fix
freeze frozen
branch trunk main
changelog release notes
adr decision record
runbook playbook guide procedure
postmortem incident review retrospective
dashboard grafana panel chart
metrics monitoring prometheus
trace tracing span otel
logs logging log
hang stall stuck
retrain train training
accuracy quality score metric
threshold bar criterion minimum
baseline benchmark reference
loadtest perf load
e2e playwright cypress selenium endtoend
fixture testdata seed
mock stub fake
codegen generate generated regenerate
proto protobuf grpc
spec openapi swagger contract
crd operator
helm chart manifest
manifest yaml deploy
argocd argo deploy gitops
terraform iac infrastructure
regional region zone
nightly night daily
weekly week
quarterly quarter
monthly month
db database datastore
auth authentication authorization login signin
config configuration setting preference option
repo repository
env environment
k8s kubernetes
js javascript
ts typescript
py python
rb ruby
golang go
postgres postgresql pg psql
mongo mongodb
deps dependency
dev developer development
prod production live
docs documentation doc manual guide
err error failure fault exception
msg message
param parameter argument arg
perf performance speed
app application
lib library
pkg package
fn func function method
dir directory folder
sync synchronize synchronization
async asynchronous
cred credential secret
pwd password passphrase
ui interface frontend
impl implementation
info information
spec specification
temp temporary tmp
util utility helper
var variable
max maximum limit cap
min minimum
num number count
ref reference
req request
res response reply answer
svc service
cert certificate tls ssl
cmd command
conn connection
dup duplicate
id identifier
idx index
init initialize initialization setup
mem memory ram
cpu processor
nav navigation
obj object
org organization
pic picture photo image
regex regexp pattern
std standard
sys system
vm virtual
ws websocket
acl permission access right role
admin administrator
ci pipeline build
cd deploy deployment rollout release ship
pr pull merge
bug defect issue
ticket issue story task
delete remove drop erase
create add make new
change modify edit alter update
rename move
choose select pick decide
decision choice
prefer favor favour like
avoid forbid never
require need must mandatory
allow permit
start launch boot begin run
stop halt end terminate kill shutdown
crash panic abort
hang freeze stuck block deadlock
slow latency lag sluggish
fast quick speed rapid
big large huge
small tiny little
broken fail failing
flaky unstable intermittent nondeterministic random
fix repair resolve patch
test check verify
log logging journal
cache memoize
queue backlog buffer
retry attempt again
timeout deadline expire expiry
schedule cron periodic nightly
email mail
notify notification alert
payment billing invoice charge checkout
price cost money
customer client user
account profile
encrypt encryption cipher
hash digest checksum
backup snapshot copy
restore recover recovery
migrate migration
upgrade bump version
rollback revert undo
encode serialize marshal
decode deserialize unmarshal parse
format style layout
indent indentation tab space
name naming call
comment annotation
file document
path location place
fetch download get load read
upload send put
save store persist write keep
search find lookup query
list enumerate
filter
sort order
merge combine join
split divide separate
page pagination cursor
throttle ratelimit
worker consumer
event webhook callback
lock mutex
thread goroutine concurrency parallel
server backend
browser web
phone mobile
time clock date
timezone utc
language locale i18n translation
reason why because
owner responsible maintainer
team group
doctor physician
car vehicle
job work career
kid child
child: son daughter
hobby interest
trip travel vacation journey holiday visit
voucher coupon discount
vendor supplier
reseller partner
alarm alert pager page
human person people
article product item goods
interrupt stop cancel
similar alike related resemble
container docker image
iphone ios
popup dialog modal overlay
laptop computer machine
dump backup
outage incident downtime
newcomer onboarding colleague
expose leak disclose
register signup
token key secret
duplicate twice repeat
forbidden prohibited
tax vat
refund reimburse
parcel package shipment delivery
host server node
metric measure monitor
approve review accept
remote distant
colour color
licence license
buy purchase
home house
movie film
music song
begin start
puppy dog pup
mother mom mum mama
father dad daddy papa
grandmother grandma granny nana
grandfather grandpa granddad
child baby toddler
boy lad
family relative
friend buddy pal mate
neighbour neighbor
guest visitor invite
wedding marriage marry bride groom
propose proposal engaged engagement
divorce separate
birthday anniversary
party celebration celebrate
die death dead
born birth
pregnant pregnancy expecting
horse pony
illness disease sick ill
hurt injury injure pain ache sore
wound cut injury
surgery operation operate
hospital clinic
doctor surgeon
dentist tooth
medicine drug pill medication tablet
treatment therapy therapist physio
cure heal recover
allergy allergic
stomach belly
exercise workout gym fitness
run jog marathon
swim pool
bike bicycle cycle cycling
walk hike stroll
climb mountain hike
win victory prize award
prize award medal trophy
coach trainer
tired exhausted sleepy weary
sleep nap bed asleep
wake awake
happy glad pleased delighted
sad unhappy upset
angry mad annoyed furious
afraid scared fear terrified frightened
nervous anxious worried stress
surprised amazed shocked
proud pride
lonely alone
love adore
hate dislike loathe detest
enjoy fun pleasure
cry tear weep
laugh joke funny
beautiful lovely gorgeous pretty
ugly awful terrible horrible dreadful
tasty delicious yummy
dangerous danger risk hazard unsafe toxic poison
safe secure security
important crucial essential vital
difficult tough tricky
simple easy
expensive costly pricey
cheap inexpensive affordable
rich wealthy
salary wage pay income earn
spend cost pay paid
price fee rate
rent lease
debt loan owe mortgage
bank account
save saving
budget cost
sell sale sold
shop store market supermarket
gift present
donate donation charity
job position role
profession job occupation career living
boss manager chief
employee staff worker
employer company firm
company business firm
colleague coworker workmate
hire employ recruit
resign quit notice
dismiss sack
retire retirement pension
office workplace
interview candidate applicant
apprentice trainee intern student
freelance independent
workshop studio
factory plant
tool instrument device
machine device equipment
university college campus
teacher professor tutor instructor
student pupil
lesson class course
study learn
exam test
degree diploma graduate graduation
homework assignment
book volume novel
read book
write writer author
newspaper magazine article
letter mail post
painter artist
draw drawing sketch
photo camera
sing singer
concert show gig festival
band musician
dance dancer
theatre theater
film watch
food eat meal dish
dinner supper evening
cook kitchen recipe
bake oven
dessert cake pie
restaurant cafe
vegetarian vegan
bread bakery
hungry appetite
house flat apartment
room bedroom
garden yard
couch sofa
basement cellar
door gate entrance
renovate renovation refurbish rebuild
build construction
repair mend
clean tidy wash
laundry wash
heat heating
electricity power
move relocate moved
city town
village countryside
country nation abroad
street road
near close nearby
far away distance
beach coast seaside
sea ocean
forest wood
mountain hill
island coast
camp camping tent campsite
hotel hostel guesthouse accommodation
luggage suitcase bag
flight plane fly airport
train railway
drive driver
boat ship ferry
ticket fare
passport visa
tourist traveller
arrive arrival
leave depart departure
return back
stay accommodation
rain storm wet
snow ice
hot warm
cold cool chilly
wet damp
sunny sunshine
plant grow
shoe boot
hat cap
bag purse
hair haircut
big enormous
wide width
age old
young youth
new recent
former previous ex old
first original
final last
early soon
late delay delayed postpone
quickly fast
noon midday
finish complete done end
continue carry
cancel call
lose lost miss
search look
steal stolen theft thief
damage harm destroy ruin
accident crash
fall drop
push pull
carry bring
receive get
lend borrow
keep hold
throw discard
collect gather
show display
hear listen
smell scent
touch feel
speak talk chat
phone telephone
ask request
suggest propose recommend advise
recommend suggestion tip
advice tip advise
promise guarantee swear
agree agreement accept
refuse reject decline deny
disagree argue object
argue argument quarrel fight
complain complaint
apologise apologize sorry
thank grateful
permit permission
rule law regulation
law legal lawyer
court judge
police officer
crime criminal
contract agreement deal
insurance insure
government state
vote election
war military army
church priest religion
pray prayer
idea plan
plan intend intention
goal aim target
dream wish
try attempt
success succeed
failure fail
mistake error wrong
problem trouble difficulty
cause reason
result outcome
effect impact
benefit advantage
drawback disadvantage downside
replace swap substitute switch
exchange swap
improve improvement
increase grow raise rise
decrease reduce lower drop
growth increase
combine mix
attach fix
prevent protect guard
protect protection
supply provide
produce make manufacture
design designer
invent invention
measure weigh
estimate guess forecast
forecast estimate predict
calculate compute
choose picked pick
nickname name
compare comparison
practice practise
volunteer help
help assist support helper assistant
lead leader head
manage run
organise organize arrange
close shut
jam stuck
empty vacant blank
space room
login log sign
authenticate login
speed fast slow
throughput rate
quota limit
throttle limit rate
threshold limit cutoff
frequency often interval
interval period
duration time long
update upgrade
announce announcement
release version
rollback back
draft proposal
meeting sync standup
deadline due
responsible charge owns
supplier contractor
algorithm method
verify validate confirm
validate check
convention rule style
guideline rule
mandatory required
forbid ban
unused dead
obsolete deprecated outdated
ignore skip
exclude omit skip
include contain
trigger start
automatic automatically auto
manual manually hand
schedule timetable plan
yearly annual year
parent: mother father mom dad mum
grandparent: grandmother grandfather grandma grandpa granny
sibling: brother sister
spouse: husband wife
partner: boyfriend girlfriend fiance husband wife
relative: cousin aunt uncle nephew niece grandmother grandfather
pet: dog cat puppy kitten hamster rabbit
breed: terrier retriever pointer poodle mix
bird: parrot pigeon duck owl
fish: salmon trout tuna cod
illness: fever flu cold cough infection
leg: knee foot ankle
arm: elbow hand wrist
hardware: laptop tablet phone server printer
instrument: guitar piano violin drum flute
meal: dinner lunch breakfast supper
drink: coffee tea wine beer juice water
alcohol: wine beer whisky
vegetable: carrot potato tomato salad onion
fruit: apple banana orange grape cherry
meat: beef pork chicken lamb
furniture: table chair sofa shelf cupboard
vehicle: car van truck lorry bus motorbike
weather: rain snow sun storm wind cloud
flower: tulip lily
clothes: dress shirt trousers coat jacket suit
jewellery: ring necklace bracelet earring
image: png jpeg svg
browser: firefox chrome edge safari
system: windows linux macos
`

// Synonyms returns the stems that a stem may stand for, not itself.
func Synonyms(stem string) (others []string) {
	for line := range strings.Lines(synonymLines) {
		if !mayStem(line, stem) || !holdsStem(line, stem) {
			continue
		}
		if general, _, isKinds := strings.Cut(line, ":"); isKinds && !holdsStem(general, stem) {
			line = general
		}
		for word := range strings.FieldsSeq(line) {
			if other := words.Stem(strings.TrimSuffix(word, ":")); other != stem {
				others = append(others, other)
			}
		}
	}
	return others
}

// holdsStem reports whether a word of a line has a stem.
func holdsStem(line, stem string) bool {
	for word := range strings.FieldsSeq(line) {
		if mayStem(word, stem) && words.Stem(strings.TrimSuffix(word, ":")) == stem {
			return true
		}
	}
	return false
}

// mayStem reports whether a word of a line may have a stem: they begin alike. To take the stems of all lines would take
// a command longer than what it asks for.
func mayStem(line, stem string) bool {
	begins := stem[:min(len(stem), 2)]
	return strings.HasPrefix(line, begins) || strings.Contains(line, " "+begins)
}
