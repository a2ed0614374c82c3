# Whole plans at once, and orders that close no cycle.
> make task old
	task old
	+ items 1: id=1 project_id=1 kind='task' ref='old' ref_key='old' title='Do old' description='Do old' status='pending' state='open' priority=2 holds=0 order_index=0 created_at='now' updated_at='now'
	+ item_history 1: id=1 item_id=1 at='now' field='status' new='pending' why='created'
> make epic E
	epic E
	+ items 2: id=2 project_id=1 kind='epic' ref='E' ref_key='e' title='Do E' description='Do E' status='pending' state='open' priority=2 holds=0 order_index=0 created_at='now' updated_at='now'
	+ item_history 2: id=2 item_id=2 at='now' field='status' new='pending' why='created'
> hold E
	~ items 2: holds=1
	+ item_history 3: id=3 item_id=2 at='now' field='held_back' new='yes'
	+ item_holds 1: item_id=2 at='now'
> many task A parent=E , task B state=done status=completed ended=2020-01-02 created=2020-01-01 by=ann , task old , task C text= , task a , ticket K keyed=1 , ticket k keyed=1 project=held , ticket k keyed=1 , plan - priority=high
	3 refused: "old" exists already, in project "app"; choose another id
	4 refused: the task has no text; say what is to be done
	5 refused: "a" exists already, in this plan; choose another id
	8 refused: "k" exists already, in this plan; choose another id
	true task A holds 1 finished false
	true task B holds 0 finished true
	false   holds 0 finished false
	false   holds 0 finished false
	false   holds 0 finished false
	true ticket K holds 0 finished false
	true ticket k holds 0 finished false
	false   holds 0 finished false
	true plan - holds 0 finished false
	+ items 3: id=3 project_id=1 kind='task' ref='A' ref_key='a' title='Do A' description='Do A' status='pending' state='open' priority=2 parent_id=2 holds=1 order_index=0 created_at='now' updated_at='now'
	+ items 4: id=4 project_id=1 kind='task' ref='B' ref_key='b' title='Do B' description='Do B' status='completed' state='done' priority=2 holds=0 order_index=0 created_at='2020-01-01T00:00:00.000Z' updated_at='now' finished_at='2020-01-02T00:00:00.000Z'
	+ items 5: id=5 project_id=1 kind='ticket' ref='K' ref_key='k' title='Do K' description='Do K' status='pending' state='open' priority=2 holds=0 order_index=0 created_at='now' updated_at='now'
	+ items 6: id=6 project_id=2 kind='ticket' ref='k' ref_key='k' title='Do k' description='Do k' status='pending' state='open' priority=2 holds=0 order_index=0 created_at='now' updated_at='now'
	+ items 7: id=7 project_id=1 kind='plan' ref='-' ref_key='-' title='Do -' description='Do -' status='pending' state='open' priority=3 holds=0 order_index=0 created_at='now' updated_at='now'
	+ item_history 4: id=4 item_id=3 at='now' field='status' new='pending' why='created'
	+ item_history 5: id=5 item_id=4 at='now' agent_id=1 field='status' new='completed' why='created'
	+ item_history 6: id=6 item_id=5 at='now' field='status' new='pending' why='created'
	+ item_history 7: id=7 item_id=6 at='now' field='status' new='pending' why='created'
	+ item_history 8: id=8 item_id=7 at='now' field='status' new='pending' why='created'
> many task N1 , task N2 , task N3 , task N4 , task N5 , task N6
	true task N1 holds 0 finished false
	true task N2 holds 0 finished false
	true task N3 holds 0 finished false
	true task N4 holds 0 finished false
	true task N5 holds 0 finished false
	true task N6 holds 0 finished false
	+ items 8: id=8 project_id=1 kind='task' ref='N1' ref_key='n1' title='Do N1' description='Do N1' status='pending' state='open' priority=2 holds=0 order_index=0 created_at='now' updated_at='now'
	+ items 9: id=9 project_id=1 kind='task' ref='N2' ref_key='n2' title='Do N2' description='Do N2' status='pending' state='open' priority=2 holds=0 order_index=0 created_at='now' updated_at='now'
	+ items 10: id=10 project_id=1 kind='task' ref='N3' ref_key='n3' title='Do N3' description='Do N3' status='pending' state='open' priority=2 holds=0 order_index=0 created_at='now' updated_at='now'
	+ items 11: id=11 project_id=1 kind='task' ref='N4' ref_key='n4' title='Do N4' description='Do N4' status='pending' state='open' priority=2 holds=0 order_index=0 created_at='now' updated_at='now'
	+ items 12: id=12 project_id=1 kind='task' ref='N5' ref_key='n5' title='Do N5' description='Do N5' status='pending' state='open' priority=2 holds=0 order_index=0 created_at='now' updated_at='now'
	+ items 13: id=13 project_id=1 kind='task' ref='N6' ref_key='n6' title='Do N6' description='Do N6' status='pending' state='open' priority=2 holds=0 order_index=0 created_at='now' updated_at='now'
	+ item_history 9: id=9 item_id=8 at='now' field='status' new='pending' why='created'
	+ item_history 10: id=10 item_id=9 at='now' field='status' new='pending' why='created'
	+ item_history 11: id=11 item_id=10 at='now' field='status' new='pending' why='created'
	+ item_history 12: id=12 item_id=11 at='now' field='status' new='pending' why='created'
	+ item_history 13: id=13 item_id=12 at='now' field='status' new='pending' why='created'
	+ item_history 14: id=14 item_id=13 at='now' field='status' new='pending' why='created'
> links N1 blocks N2 , N2 blocks N3 , N3 blocks N1 , N1 blocks N2 , N1 parent_of N4 , N4 parent_of N1 , N5 related_to N6 both=1 by=bob notes=x
	3 refused: "N3" cannot block "N1": that would close the cycle N3 → N1 → N2 → N3; leave out one of these edges
	6 refused: "N4" cannot contain "N1": that would close the cycle N4 → N1 → N4; leave out one of these edges
	added 4
	~ items 9: holds=1
	~ items 10: holds=1
	~ items 11: parent_id=8
	+ dependencies 1: id=1 source_id=8 target_id=9 relation='blocks' bidirectional=0 strength=1 created_at='now'
	+ dependencies 2: id=2 source_id=9 target_id=10 relation='blocks' bidirectional=0 strength=1 created_at='now'
	+ dependencies 3: id=3 source_id=12 target_id=13 relation='related_to' bidirectional=1 strength=1 notes='x' created_at='now' created_by=2
	+ item_history 15: id=15 item_id=9 at='now' field='blocked_by' new='N1'
	+ item_history 16: id=16 item_id=10 at='now' field='blocked_by' new='N2'
	+ item_history 17: id=17 item_id=11 at='now' field='parent' new='N1'
	+ item_history 18: id=18 item_id=13 at='now' agent_id=2 field='related_to' new='N5'
> links N1 blocks N2 , N2 blocks N3 , N1 parent_of N4 , N5 related_to N6 both=1 by=bob notes=x
	added 0
> links N1 blocks N2
	added 0
> links N3 blocks N1 , N3 blocks N4 , N2 parent_of N4 , N4 parent_of N2 , N6 parent_of N4
	1 refused: "N3" cannot block "N1": that would close the cycle N3 → N1 → N2 → N3; leave out one of these edges
	2 refused: "N3" cannot block "N4": that would close the cycle N3 → N4 → N1 → N2 → N3; leave out one of these edges
	4 refused: "N4" cannot contain "N2": that would close the cycle N4 → N2 → N4; leave out one of these edges
	added 2
	~ items 11: parent_id=13
	+ item_history 19: id=19 item_id=11 at='now' field='parent' old='N1' new='N2'
	+ item_history 20: id=20 item_id=11 at='now' field='parent' old='N2' new='N6'
> links B blocks N5 , A blocks N6 , N6 eats N1 , N1 blocks N1
	3 refused: relation "eats" is not known; use blocks, parent_of, discovered_from or related_to
	4 refused: task "N1" cannot be related to itself; name two items
	added 2
	~ items 11: holds=1
	~ items 13: holds=1
	+ dependencies 4: id=4 source_id=4 target_id=12 relation='blocks' bidirectional=0 strength=1 created_at='now'
	+ dependencies 5: id=5 source_id=3 target_id=13 relation='blocks' bidirectional=0 strength=1 created_at='now'
	+ item_history 21: id=21 item_id=12 at='now' field='blocked_by' new='B'
	+ item_history 22: id=22 item_id=13 at='now' field='blocked_by' new='A'
> links N2 blocks N6 , N6 blocks N4
	2 refused: "N6" cannot block "N4": that would close the cycle N6 → N4 → N6; leave out one of these edges
	added 1
	~ items 13: holds=2
	+ dependencies 6: id=6 source_id=9 target_id=13 relation='blocks' bidirectional=0 strength=1 created_at='now'
	+ item_history 23: id=23 item_id=13 at='now' field='blocked_by' new='N2'
> explain N6
	ready false
	waiting: it waits for A, N2 ["A" "N2"]
	open_children: it contains unfinished N4 ["N4"]
	chiefly: waiting
> explain N4
	ready false
	ancestor_waiting: it is part of something that waits: N6 ["N6"]
	chiefly: ancestor_waiting
> blockers N4
	A pending "Do A" through "N6"
	N2 pending "Do N2" through "N6"
	since a time: false
> before N4 3
	1 A pending false
	1 N2 pending false
	2 N1 pending false
> after N1 3
	1 N2 pending false
	2 N3 pending false
	2 N6 pending false
	3 N4 pending false
> after N1 99
	1 N2 pending false
	2 N3 pending false
	2 N6 pending false
	3 N4 pending false
> arrows N1 N4 N6
	3 blocks 13 false ""
	8 blocks 9 false ""
	9 blocks 13 false ""
	12 related_to 13 true "x"
	13 parent_of 11 false ""
> move N1 done completed
	~ items 8: status='completed' state='done' finished_at='now'
	~ items 9: holds=0
	+ item_history 24: id=24 item_id=8 at='now' field='status' old='pending' new='completed'
> after N1 9
	1 N2 pending false
	2 N3 pending false
	2 N6 pending false
	3 N4 pending false
> freed N1
	["N2"]
> link N5 parent_of N4
	~ items 11: parent_id=12 holds=0
	+ item_history 25: id=25 item_id=11 at='now' field='parent' old='N6' new='N5'
> link N4 blocks N5
	ConflictError : "N4" cannot block "N5": that would close the cycle N4 → N5 → N4; leave out one of these edges
> link N3 parent_of N5
	~ items 11: holds=1
	~ items 12: parent_id=10 holds=1
	+ item_history 26: id=26 item_id=12 at='now' field='parent' new='N3'
> link N4 blocks N2
	ConflictError : "N4" cannot block "N2": that would close the cycle N4 → N2 → N3 → N5 → N4; leave out one of these edges
> edge N4 blocks N2
	+ dependencies 7: id=7 source_id=11 target_id=9 relation='blocks' bidirectional=0 strength=1 created_at='now'
> edge N2 blocks N4
	+ dependencies 8: id=8 source_id=9 target_id=11 relation='blocks' bidirectional=0 strength=1 created_at='now'
> cycles
	[[N2 N4 N2]]
> recount
	2 2
	~ items 9: holds=1
	~ items 11: holds=2
> explain N4
	ready false
	waiting: it waits for N2 ["N2"]
	ancestor_waiting: it is part of something that waits: N5, N3 ["N5" "N3"]
	chiefly: waiting
> move N4 dropped failed
	~ items 11: status='failed' state='dropped' finished_at='now'
	+ item_history 27: id=27 item_id=11 at='now' field='status' old='pending' new='failed'
> cycles
	[[N2 N4 N2]]
> recount
	0 0
