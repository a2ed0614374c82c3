package memory

import (
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/text/words"
)

// Words of one line are used for each other: abbreviations and short forms
// first, then what developers say in different words. A question asks for the
// others too, for less.
const synonymLines = `
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
kid child son daughter
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
iphone ios apple
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
`

// synonymsOf returns the stems that a stem may stand for, not itself.
func synonymsOf(stem string) (others []string) {
	for line := range strings.Lines(synonymLines) {
		if !mayStem(line, stem) {
			continue
		}
		if group := words.Stems(line); slices.Contains(group, stem) {
			for _, other := range group {
				if other != stem {
					others = append(others, other)
				}
			}
		}
	}
	return others
}

// mayStem reports whether a word of a line may have a stem: they begin alike. To take the stems of all lines would take
// a command longer than what it asks for.
func mayStem(line, stem string) bool {
	begins := stem[:min(len(stem), 2)]
	return strings.HasPrefix(line, begins) || strings.Contains(line, " "+begins)
}
