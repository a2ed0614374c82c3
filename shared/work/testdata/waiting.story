# Items that wait for each other, their containers and things elsewhere.
> make epic E by=ann
	epic E
	+ items 1: id=1 project_id=1 kind='epic' ref='E' ref_key='e' title='Do E' description='Do E' status='pending' state='open' priority=2 holds=0 order_index=0 created_at='now' updated_at='now'
	+ item_history 1: id=1 item_id=1 at='now' agent_id=1 field='status' new='pending' why='created'
> make task A parent=E priority=high text=Build_it\nand_test_it
	task A
	+ items 2: id=2 project_id=1 kind='task' ref='A' ref_key='a' title='Build it' description='Build it\nand test it' status='pending' state='open' priority=3 parent_id=1 holds=0 order_index=0 created_at='now' updated_at='now'
	+ item_history 2: id=2 item_id=2 at='now' field='status' new='pending' why='created'
> make task B estimate=1h
	task B
	+ items 3: id=3 project_id=1 kind='task' ref='B' ref_key='b' title='Do B' description='Do B' status='pending' state='open' priority=2 holds=0 order_index=0 estimate_seconds=3600 created_at='now' updated_at='now'
	+ item_history 3: id=3 item_id=3 at='now' field='status' new='pending' why='created'
> make ticket T keyed=1 priority=0
	ticket T
	+ items 4: id=4 project_id=1 kind='ticket' ref='T' ref_key='t' title='Do T' description='Do T' status='pending' state='open' priority=0 holds=0 order_index=0 created_at='now' updated_at='now'
	+ item_history 4: id=4 item_id=4 at='now' field='status' new='pending' why='created'
> make plan P
	plan P
	+ items 5: id=5 project_id=1 kind='plan' ref='P' ref_key='p' title='Do P' description='Do P' status='pending' state='open' priority=2 holds=0 order_index=0 created_at='now' updated_at='now'
	+ item_history 5: id=5 item_id=5 at='now' field='status' new='pending' why='created'
> make bug U
	bug U
	+ items 6: id=6 project_id=1 kind='bug' ref='U' ref_key='u' title='Do U' description='Do U' status='pending' state='open' priority=2 holds=0 order_index=0 created_at='now' updated_at='now'
	+ item_history 6: id=6 item_id=6 at='now' field='status' new='pending' why='created'
> make task A
	ConflictError : "A" exists already, in project "app"; choose another id
	 
> make task b
	ConflictError : "b" exists already, in project "app"; choose another id
	 
> make ticket t keyed=1
	ConflictError : "t" exists already, in project "app"; choose another id
	 
> make ticket t keyed=1 project=held
	ticket t
	+ items 7: id=7 project_id=2 kind='ticket' ref='t' ref_key='t' title='Do t' description='Do t' status='pending' state='open' priority=2 holds=0 order_index=0 created_at='now' updated_at='now'
	+ item_history 7: id=7 item_id=7 at='now' field='status' new='pending' why='created'
> make task a
	ConflictError : "a" exists already, in project "app"; choose another id
	 
> make task C text=-
	task C
	+ items 8: id=8 project_id=1 kind='task' ref='C' ref_key='c' title='-' description='-' status='pending' state='open' priority=2 holds=0 order_index=0 created_at='now' updated_at='now'
	+ item_history 8: id=8 item_id=8 at='now' field='status' new='pending' why='created'
> make task C text=
	ValidationError description: the task has no text; say what is to be done
	 
> make scenario S
	scenario S
	+ items 9: id=9 project_id=1 kind='scenario' ref='S' ref_key='s' title='Do S' description='Do S' status='pending' state='open' priority=2 holds=0 order_index=0 created_at='now' updated_at='now'
	+ item_history 9: id=9 item_id=9 at='now' field='status' new='pending' why='created'
> make artifact F
	artifact F
	+ items 10: id=10 project_id=1 kind='artifact' ref='F' ref_key='f' title='Do F' description='Do F' status='pending' state='open' priority=2 holds=0 order_index=0 created_at='now' updated_at='now'
	+ item_history 10: id=10 item_id=10 at='now' field='status' new='pending' why='created'
> make task - title=Named text=
	task <x1>
	+ items 11: id=11 project_id=1 kind='task' ref='<x1>' ref_key='<x1>' title='Named' status='pending' state='open' priority=2 holds=0 order_index=0 created_at='now' updated_at='now'
	+ item_history 11: id=11 item_id=11 at='now' field='status' new='pending' why='created'
> link A blocks B by=ann notes=first
	~ items 3: holds=1
	+ dependencies 1: id=1 source_id=2 target_id=3 relation='blocks' bidirectional=0 strength=1 notes='first' created_at='now' created_by=1
	+ item_history 12: id=12 item_id=3 at='now' agent_id=1 field='blocked_by' new='A'
> link A blocks B
> link B blocks A
	ConflictError : "B" cannot block "A": that would close the cycle B → A → B; leave out one of these edges
> link E blocks A
	ValidationError source: epic "E" cannot be waited for: its status follows from its tasks; name its last task, or an epic of the project's tracker
> link S blocks A
	ValidationError source: scenario "S" cannot be waited for; name a task, ticket, plan, bug or epic
> link A blocks S
	ValidationError target: scenario "S" cannot wait; name a task, ticket, plan, bug or epic
> link S parent_of A
	ValidationError source: scenario "S" cannot contain anything; name an epic, task, ticket or plan
> link A eats B
	ValidationError relation: relation "eats" is not known; use blocks, parent_of, discovered_from or related_to
> link A blocks A
	ConflictError : task "A" cannot be related to itself; name two items
> link A blocks B both=1
	ValidationError bidirectional: blocks has one direction; bidirectional goes with related_to
> link T related_to P both=1 notes=as_before
	+ dependencies 2: id=2 source_id=4 target_id=5 relation='related_to' bidirectional=1 strength=1 notes='as before' created_at='now'
	+ item_history 13: id=13 item_id=5 at='now' field='related_to' new='T'
> link U discovered_from A by=bob
	+ dependencies 3: id=3 source_id=6 target_id=2 relation='discovered_from' bidirectional=0 strength=1 created_at='now' created_by=2
	+ item_history 14: id=14 item_id=2 at='now' agent_id=2 field='discovered_from' new='U'
> link B parent_of E
	ConflictError : "B" cannot contain "E": that would close the cycle B → E → A → B; leave out one of these edges
> link B parent_of P
	~ items 5: parent_id=3 holds=1
	+ item_history 15: id=15 item_id=5 at='now' field='parent' new='B'
> link P blocks B
	ConflictError : "P" cannot block "B": that would close the cycle P → B → P; leave out one of these edges
> link U blocks E
	~ items 1: holds=1
	~ items 2: holds=1
	+ dependencies 4: id=4 source_id=6 target_id=1 relation='blocks' bidirectional=0 strength=1 created_at='now'
	+ item_history 16: id=16 item_id=1 at='now' field='blocked_by' new='U'
> link E parent_of B
	~ items 3: parent_id=1 holds=2
	+ item_history 17: id=17 item_id=3 at='now' field='parent' new='E'
> explain B
	ready false
	waiting: it waits for A ["A"]
	ancestor_waiting: it is part of something that waits: E ["E"]
	open_children: it contains unfinished P ["P"]
	chiefly: waiting
> explain A
	ready false
	ancestor_waiting: it is part of something that waits: E ["E"]
	chiefly: ancestor_waiting
> explain A ann
	ready false
	ancestor_waiting: it is part of something that waits: E ["E"]
	chiefly: ancestor_waiting
> before B 1
	1 A pending false
	1 U pending false
> before B 3
	1 A pending false
	1 U pending false
> before A 10
	1 U pending false
> after U 1
	1 E pending false
> after U 3
	1 E pending false
	2 A pending false
	2 B pending false
	3 P pending false
> after A 3
	1 B pending false
	2 P pending false
> blockers B
	A pending "Build it" through ""
	U pending "Do U" through "E"
	since a time: false
> blockers A
	U pending "Do U" through "E"
	since a time: false
> arrows A B
	1 parent_of 2 false ""
	1 parent_of 3 false ""
	2 blocks 3 false "first"
	3 parent_of 5 false ""
	6 discovered_from 2 false ""
> freed A
	[]
> move A done completed by=ann why=works
	~ items 2: status='completed' state='done' finished_at='now'
	~ items 3: holds=1
	+ item_history 18: id=18 item_id=2 at='now' agent_id=1 field='status' old='pending' new='completed' why='works'
> explain B
	ready false
	ancestor_waiting: it is part of something that waits: E ["E"]
	open_children: it contains unfinished P ["P"]
	chiefly: ancestor_waiting
> before B 3
	1 U pending false
> before B 3 resolved
	1 A completed true
	1 U pending false
> move A dropped failed
	~ items 2: status='failed' state='dropped'
	~ items 3: holds=2
	+ item_history 19: id=19 item_id=2 at='now' field='status' old='completed' new='failed'
> explain B
	ready false
	blocked_by_failed: it waits for failed A ["A"]
	ancestor_waiting: it is part of something that waits: E ["E"]
	open_children: it contains unfinished P ["P"]
	chiefly: blocked_by_failed
> move A open pending
	~ items 2: status='pending' state='open' finished_at=NULL
	+ item_history 20: id=20 item_id=2 at='now' field='status' old='failed' new='pending'
> move A active in_progress by=bob
	~ items 2: status='in_progress' state='active' started_at='now'
	+ item_history 21: id=21 item_id=2 at='now' agent_id=2 field='status' old='pending' new='in_progress'
> move A active in_progress
	+ item_history 22: id=22 item_id=2 at='now' field='status' old='in_progress' new='in_progress'
> move A done completed
	~ items 2: status='completed' state='done' finished_at='now'
	~ items 3: holds=1
	+ item_history 23: id=23 item_id=2 at='now' field='status' old='in_progress' new='completed'
> move U done fixed
	~ items 1: holds=0
	~ items 2: holds=0
	~ items 3: holds=0
	~ items 5: holds=0
	~ items 6: status='fixed' state='done' finished_at='now'
	+ item_history 24: id=24 item_id=6 at='now' field='status' old='pending' new='fixed'
> explain B
	ready false
	open_children: it contains unfinished P ["P"]
	chiefly: open_children
> move U active investigating
	~ items 1: holds=1
	~ items 2: holds=1
	~ items 3: holds=1
	~ items 5: holds=1
	~ items 6: status='investigating' state='active'
	+ item_history 25: id=25 item_id=6 at='now' field='status' old='fixed' new='investigating'
> delete U by=ann why=twice
	~ items 1: holds=0
	~ items 2: holds=0
	~ items 3: holds=0
	~ items 5: holds=0
	~ items 6: deleted_at='now'
	+ item_history 26: id=26 item_id=6 at='now' agent_id=1 field='deleted' new='deleted' why='twice'
> explain A
	ready false
	finished: it is completed []
	chiefly: finished
> delete U
> revive U actor=pull
	~ items 1: holds=1
	~ items 2: holds=1
	~ items 3: holds=1
	~ items 5: holds=1
	~ items 6: deleted_at=NULL
	+ item_history 27: id=27 item_id=6 at='now' actor='pull' field='deleted' old='deleted'
> revive U
> unlink U blocks E by=ann
	true
	~ items 1: holds=0
	~ items 2: holds=0
	~ items 3: holds=0
	~ items 5: holds=0
	- dependencies 4
	+ item_history 28: id=28 item_id=1 at='now' agent_id=1 field='blocked_by' old='U'
> unlink U blocks E
	false
> unlink E parent_of B
	true
	~ items 3: parent_id=NULL
	+ item_history 29: id=29 item_id=3 at='now' field='parent' old='E'
> unlink E parent_of B
	false
> unlink A blocks B
	true
	- dependencies 1
	+ item_history 30: id=30 item_id=3 at='now' field='blocked_by' old='A'
> hold B by=ann why=not_yet
	~ items 3: holds=1
	~ items 5: holds=1
	+ item_history 31: id=31 item_id=3 at='now' agent_id=1 field='held_back' new='yes' why='not yet'
	+ item_holds 1: item_id=3 agent_id=1 why='not yet' at='now'
> hold B
> explain B
	ready false
	held_back: "ann" holds it back: not yet []
	open_children: it contains unfinished P ["P"]
	chiefly: held_back
> blockers B
	since a time: true
> letgo B by=bob
	true
	~ items 3: holds=0
	~ items 5: holds=0
	+ item_history 32: id=32 item_id=3 at='now' agent_id=2 field='held_back' old='yes'
	- item_holds 1
> letgo B
	false
> hold A
	ConflictError : task "A" is already completed; a finished item needs no holding back
> outside B 7:PLAT-7 8
	~ items 3: holds=2
	~ items 5: holds=1
	+ item_history 33: id=33 item_id=3 at='now' field='blocked_by' new='PLAT-7'
	+ item_history 34: id=34 item_id=3 at='now' field='blocked_by' new='8'
	+ outside_blockers 1: item_id=3 ref_key='7' ref='PLAT-7' title='title of 7'
	+ outside_blockers 2: item_id=3 ref_key='8' ref='8' title='title of 8'
> outside B 8
	~ items 3: holds=1
	+ item_history 35: id=35 item_id=3 at='now' field='blocked_by' old='PLAT-7'
	- outside_blockers 1
> explain B
	ready false
	waiting_elsewhere: it waits for 8, not here ["8"]
	open_children: it contains unfinished P ["P"]
	chiefly: waiting_elsewhere
> blockers B
	8 not here "title of 8" through ""
	since a time: false
> before B 2
	1 8 not here false
> end B plat-7
	false
> end B 8
	true
	~ items 3: holds=0
	~ items 5: holds=0
	+ item_history 36: id=36 item_id=3 at='now' field='blocked_by' old='8'
	- outside_blockers 2
> outside B 9:X-9
	~ items 3: holds=1
	~ items 5: holds=1
	+ item_history 37: id=37 item_id=3 at='now' field='blocked_by' new='X-9'
	+ outside_blockers 1: item_id=3 ref_key='9' ref='X-9' title='title of 9'
> here 9 why=it_came
	~ items 3: holds=0
	~ items 5: holds=0
	+ item_history 38: id=38 item_id=3 at='now' field='blocked_by' old='X-9' why='it came'
	- outside_blockers 1
> needs B go go python
	["go" "python"]
	+ item_capabilities 1: item_id=3 capability='go'
	+ item_capabilities 2: item_id=3 capability='python'
> needs B -
	["-"]
	- item_capabilities 2
	~ item_capabilities 1: capability='-'
> order B 4
	~ items 3: order_index=4
> recount
	0 0
> cycles
	[]
> history B
	 status: "" to "pending", created
	ann blocked_by: "" to "A", 
	 parent: "" to "E", 
	 parent: "E" to "", 
	 blocked_by: "A" to "", 
	ann held_back: "" to "yes", not yet
	bob held_back: "yes" to "", 
	 blocked_by: "" to "PLAT-7", 
	 blocked_by: "" to "8", 
	 blocked_by: "PLAT-7" to "", 
	 blocked_by: "8" to "", 
	 blocked_by: "" to "X-9", 
	 blocked_by: "X-9" to "", it came
> history A
	 status: "" to "pending", created
	bob discovered_from: "" to "U", 
	ann status: "pending" to "completed", works
	 status: "completed" to "failed", 
	 status: "failed" to "pending", 
	bob status: "pending" to "in_progress", 
	 status: "in_progress" to "in_progress", 
	 status: "in_progress" to "completed", 
> log 3
	36 task B "Do B":  blocked_by "8" to "", 
	37 task B "Do B":  blocked_by "" to "X-9", 
	38 task B "Do B":  blocked_by "X-9" to "", it came
> log 2 4
	5 plan P "Do P":  status "" to "pending", created
	6 bug U "Do U":  status "" to "pending", created
> log
	1 epic E "Do E": ann status "" to "pending", created
	2 task A "Build it":  status "" to "pending", created
	3 task B "Do B":  status "" to "pending", created
	4 ticket T "Do T":  status "" to "pending", created
	5 plan P "Do P":  status "" to "pending", created
	6 bug U "Do U":  status "" to "pending", created
	7 ticket t "Do t":  status "" to "pending", created
	8 task C "-":  status "" to "pending", created
	9 scenario S "Do S":  status "" to "pending", created
	10 artifact F "Do F":  status "" to "pending", created
	11 task <x1> "Named":  status "" to "pending", created
	12 task B "Do B": ann blocked_by "" to "A", 
	13 plan P "Do P":  related_to "" to "T", 
	14 task A "Build it": bob discovered_from "" to "U", 
	15 plan P "Do P":  parent "" to "B", 
	16 epic E "Do E":  blocked_by "" to "U", 
	17 task B "Do B":  parent "" to "E", 
	18 task A "Build it": ann status "pending" to "completed", works
	19 task A "Build it":  status "completed" to "failed", 
	20 task A "Build it":  status "failed" to "pending", 
	21 task A "Build it": bob status "pending" to "in_progress", 
	22 task A "Build it":  status "in_progress" to "in_progress", 
	23 task A "Build it":  status "in_progress" to "completed", 
	24 bug U "Do U":  status "pending" to "fixed", 
	25 bug U "Do U":  status "fixed" to "investigating", 
	26 bug U "Do U": ann deleted "" to "deleted", twice
	27 bug U "Do U": pull deleted "deleted" to "", 
	28 epic E "Do E": ann blocked_by "U" to "", 
	29 task B "Do B":  parent "E" to "", 
	30 task B "Do B":  blocked_by "A" to "", 
	31 task B "Do B": ann held_back "" to "yes", not yet
	32 task B "Do B": bob held_back "yes" to "", 
	33 task B "Do B":  blocked_by "" to "PLAT-7", 
	34 task B "Do B":  blocked_by "" to "8", 
	35 task B "Do B":  blocked_by "PLAT-7" to "", 
	36 task B "Do B":  blocked_by "8" to "", 
	37 task B "Do B":  blocked_by "" to "X-9", 
	38 task B "Do B":  blocked_by "X-9" to "", it came
> log project=held
	7 ticket t "Do t":  status "" to "pending", created
> find task a
	task A, in the project task A of it true
> find - t
	ValidationError id: "t" names 2 items: <uid1> (ticket T of project "app"), <uid2> (ticket t of project "later"); give one of these ids
	 , in the project ticket T of it true
> find ticket t
	ValidationError id: "t" names 2 items: <uid1> (ticket T of project "app"), <uid2> (ticket t of project "later"); give one of these ids
	 , in the project ticket T of it true
> find bug A
	NotFoundError : bug "A" does not exist; 
	 , in the project   of it false
> find - nothing
	NotFoundError : item "nothing" does not exist; give the id of a task, ticket, plan, bug or epic
	 , in the project   of it false
> find - -
	ValidationError id: no item id is given; give one
	 , in the project   of it false
> findmany A b T nothing
	a 1
	b 1
	t 2
