# Who an item is meant for, and what else keeps it from being ready.
> make task A
	task A
	+ items 1: id=1 project_id=1 kind='task' ref='A' ref_key='a' title='Do A' description='Do A' status='pending' state='open' priority=2 holds=0 order_index=0 created_at='now' updated_at='now'
	+ item_history 1: id=1 item_id=1 at='now' field='status' new='pending' why='created'
> assign A ann
	~ items 1: assignee_agent_id=1
> explain A
	ready false
	assigned_to_another: it is assigned to ann ["ann"]
	chiefly: assigned_to_another
> explain A ann
	ready true
	chiefly: 
> explain A bob
	ready false
	assigned_to_another: it is assigned to ann ["ann"]
	chiefly: assigned_to_another
> person A Kim
	~ items 1: assignee_agent_id=NULL assignee='kim'
> explain A ann
	ready false
	assigned_to_another: it is assigned to kim []
	chiefly: assigned_to_another
> own user Kim Bob
	["Bob" "Kim"]
	+ own_names 1: project_id=1 name_key='kim' name='Kim' source='user'
	+ own_names 2: project_id=1 name_key='bob' name='Bob' source='user'
> explain A
	ready true
	chiefly: 
> person A bob
	~ items 1: assignee_agent_id=2 assignee='bob'
> explain A ann
	ready true
	chiefly: 
> explain A bob
	ready true
	chiefly: 
> own tracker Lee Kim
	["Bob" "Kim" "Lee"]
	+ own_names 3: project_id=1 name_key='lee' name='Lee' source='tracker'
> own user
	["Lee"]
	- own_names 1
	- own_names 2
> person A -
	~ items 1: assignee_agent_id=NULL assignee=NULL
> explain A
	ready true
	chiefly: 
> make ticket T status=todo
	ticket T
	+ items 2: id=2 project_id=1 kind='ticket' ref='T' ref_key='t' title='Do T' description='Do T' status='todo' state='open' priority=2 holds=0 order_index=0 created_at='now' updated_at='now'
	+ item_history 2: id=2 item_id=2 at='now' field='status' new='todo' why='created'
> make task B origin=T
	task B
	+ items 3: id=3 project_id=1 kind='task' ref='B' ref_key='b' title='Do B' description='Do B' status='pending' state='open' priority=2 origin_id=2 holds=0 order_index=0 created_at='now' updated_at='now'
	+ item_history 3: id=3 item_id=3 at='now' field='status' new='pending' why='created'
> explain T
	ready false
	taken_up: it is taken up by B ["B"]
	chiefly: taken_up
> explain B
	ready true
	chiefly: 
> make task B2 origin=T
	ConflictError : "T" is taken up by task "B" already; work on that task
	 
> person T Kim
	~ items 2: assignee='kim'
> explain B
	ready false
	origin_waiting: it was made from T, which is assigned to kim ["T"]
	chiefly: origin_waiting
> own user
	["Lee"]
> explain B bob
	ready false
	origin_waiting: it was made from T, which is assigned to kim ["T"]
	chiefly: origin_waiting
> assign B bob
	~ items 3: assignee_agent_id=2
> explain B bob
	ready true
	chiefly: 
> assign T ann
	~ items 2: assignee_agent_id=1
> assign B -
	~ items 3: assignee_agent_id=NULL
> explain B ann
	ready true
	chiefly: 
> explain B bob
	ready false
	origin_waiting: it was made from T, which is assigned to ann ["T"]
	chiefly: origin_waiting
> outside T 5:Z-5
	~ items 2: holds=1
	+ item_history 4: id=4 item_id=2 at='now' field='blocked_by' new='Z-5'
	+ outside_blockers 1: item_id=2 ref_key='5' ref='Z-5' title='title of 5'
> explain B ann
	ready false
	origin_waiting: it was made from T, which waits for Z-5 ["T"]
	chiefly: origin_waiting
> end T 5
	true
	~ items 2: holds=0
	+ item_history 5: id=5 item_id=2 at='now' field='blocked_by' old='Z-5'
	- outside_blockers 1
> make plan P
	plan P
	+ items 4: id=4 project_id=1 kind='plan' ref='P' ref_key='p' title='Do P' description='Do P' status='pending' state='open' priority=2 holds=0 order_index=0 created_at='now' updated_at='now'
	+ item_history 6: id=6 item_id=4 at='now' field='status' new='pending' why='created'
> link P blocks T
	~ items 2: holds=1
	+ dependencies 1: id=1 source_id=4 target_id=2 relation='blocks' bidirectional=0 strength=1 created_at='now'
	+ item_history 7: id=7 item_id=2 at='now' field='blocked_by' new='P'
> explain B ann
	ready false
	origin_waiting: it was made from T, which waits for P ["T"]
	chiefly: origin_waiting
> move P done completed
	~ items 2: holds=0
	~ items 4: status='completed' state='done' finished_at='now'
	+ item_history 8: id=8 item_id=4 at='now' field='status' old='pending' new='completed'
> move T done done
	~ items 2: status='done' state='done' finished_at='now'
	+ item_history 9: id=9 item_id=2 at='now' field='status' old='todo' new='done'
> explain B ann
	ready false
	origin_waiting: it was made from T, which is done ["T"]
	chiefly: origin_waiting
> delete T
	~ items 2: deleted_at='now'
	+ item_history 10: id=10 item_id=2 at='now' field='deleted' new='deleted'
> explain B ann
	ready false
	origin_waiting: it was made from T, which was deleted ["T"]
	chiefly: origin_waiting
> revive T
	~ items 2: deleted_at=NULL
	+ item_history 11: id=11 item_id=2 at='now' field='deleted' old='deleted'
> move T open todo
	~ items 2: status='todo' state='open' finished_at=NULL
	+ item_history 12: id=12 item_id=2 at='now' field='status' old='done' new='todo'
> move B dropped failed
	~ items 3: status='failed' state='dropped' finished_at='now'
	+ item_history 13: id=13 item_id=3 at='now' field='status' old='pending' new='failed'
> explain T ann
	ready true
	chiefly: 
> make task B3 origin=T
	task B3
	+ items 5: id=5 project_id=1 kind='task' ref='B3' ref_key='b3' title='Do B3' description='Do B3' status='pending' state='open' priority=2 origin_id=2 holds=0 order_index=0 created_at='now' updated_at='now'
	+ item_history 14: id=14 item_id=5 at='now' field='status' new='pending' why='created'
> move B open pending
	ConflictError : "T" is taken up by task "B3" already; work on that task
> move B3 done completed
	~ items 5: status='completed' state='done' finished_at='now'
	+ item_history 15: id=15 item_id=5 at='now' field='status' old='pending' new='completed'
> explain T ann
	ready true
	chiefly: 
> make task C project=held
	task C
	+ items 6: id=6 project_id=2 kind='task' ref='C' ref_key='c' title='Do C' description='Do C' status='pending' state='open' priority=2 holds=0 order_index=0 created_at='now' updated_at='now'
	+ item_history 16: id=16 item_id=6 at='now' field='status' new='pending' why='created'
> explain C
	ready false
	project_not_active: its project "later" is on_hold []
	chiefly: project_not_active
> make epic E
	epic E
	+ items 7: id=7 project_id=1 kind='epic' ref='E' ref_key='e' title='Do E' description='Do E' status='pending' state='open' priority=2 holds=0 order_index=0 created_at='now' updated_at='now'
	+ item_history 17: id=17 item_id=7 at='now' field='status' new='pending' why='created'
> explain E
	ready false
	not_work: it is an epic, which is not offered as work []
	chiefly: not_work
> make task D parent=E
	task D
	+ items 8: id=8 project_id=1 kind='task' ref='D' ref_key='d' title='Do D' description='Do D' status='pending' state='open' priority=2 parent_id=7 holds=0 order_index=0 created_at='now' updated_at='now'
	+ item_history 18: id=18 item_id=8 at='now' field='status' new='pending' why='created'
> make task D1 parent=D
	task D1
	+ items 9: id=9 project_id=1 kind='task' ref='D1' ref_key='d1' title='Do D1' description='Do D1' status='pending' state='open' priority=2 parent_id=8 holds=0 order_index=0 created_at='now' updated_at='now'
	+ item_history 19: id=19 item_id=9 at='now' field='status' new='pending' why='created'
> explain D
	ready false
	open_children: it contains unfinished D1 ["D1"]
	chiefly: open_children
> move D1 active claimed
	~ items 9: status='claimed' state='active'
	+ item_history 20: id=20 item_id=9 at='now' field='status' old='pending' new='claimed'
> explain D1
	ready false
	claimed: it is claimed []
	chiefly: claimed
> explain T
	ready false
	assigned_to_another: it is assigned to ann ["ann"]
	chiefly: assigned_to_another
> move T active doing
	~ items 2: status='doing' state='active'
	+ item_history 21: id=21 item_id=2 at='now' field='status' old='todo' new='doing'
> explain T
	ready false
	claimed: it is being worked on []
	assigned_to_another: it is assigned to ann ["ann"]
	chiefly: assigned_to_another
> move D1 done completed
	~ items 9: status='completed' state='done' finished_at='now'
	+ item_history 22: id=22 item_id=9 at='now' field='status' old='claimed' new='completed'
> explain D
	ready true
	chiefly: 
> change A text=New_text\nand_more by=ann why=better
	~ items 1: title='New text' description='New text\nand more'
	+ item_history 23: id=23 item_id=1 at='now' agent_id=1 field='text' old='Do A' new='New text' why='better'
> change A text=
	ValidationError description: the new text of task "A" is empty; say what is to be done
> change A title=Title body=Body priority=urgent estimate=90s
	~ items 1: title='Title' description='Body' priority=4 estimate_seconds=90
	+ item_history 24: id=24 item_id=1 at='now' field='text' old='New text' new='Title'
	+ item_history 25: id=25 item_id=1 at='now' field='priority' old='medium' new='critical'
	+ item_history 26: id=26 item_id=1 at='now' field='estimate' new='1m 30s'
> change A title=Title body=Body priority=4 estimate=90s
> change A priority=soon
	ValidationError priority: priority "soon" is not known; use none, low, medium, high, critical, or 0 to 4
> change A priority=none estimate= actor=pull
	~ items 1: priority=0 estimate_seconds=NULL
	+ item_history 27: id=27 item_id=1 at='now' actor='pull' field='priority' old='critical' new='none'
	+ item_history 28: id=28 item_id=1 at='now' actor='pull' field='estimate' old='1m 30s'
> rename A B
	ConflictError : the key "B" is another task's in this project; choose another key
> rename A A
> rename A Q by=ann
	~ items 1: ref='Q' ref_key='q'
	+ item_history 29: id=29 item_id=1 at='now' agent_id=1 field='key' old='A' new='Q'
> delete B3
	~ items 5: deleted_at='now'
	+ item_history 30: id=30 item_id=5 at='now' field='deleted' new='deleted'
> rename Q B3
	~ items 1: ref='B3' ref_key='b3'
	~ items 5: ref='B3~<uid1>' ref_key='b3~<uid1>'
	+ item_history 31: id=31 item_id=1 at='now' field='key' old='Q' new='B3'
> rename B3 !
	~ items 1: ref='!' ref_key='!'
	+ item_history 32: id=32 item_id=1 at='now' field='key' old='B3' new='!'
> log
	1 task ! "Title":  status "" to "pending", created
	2 ticket T "Do T":  status "" to "todo", created
	3 task B "Do B":  status "" to "pending", created
	4 ticket T "Do T":  blocked_by "" to "Z-5", 
	5 ticket T "Do T":  blocked_by "Z-5" to "", 
	6 plan P "Do P":  status "" to "pending", created
	7 ticket T "Do T":  blocked_by "" to "P", 
	8 plan P "Do P":  status "pending" to "completed", 
	9 ticket T "Do T":  status "todo" to "done", 
	10 ticket T "Do T":  deleted "" to "deleted", 
	11 ticket T "Do T":  deleted "deleted" to "", 
	12 ticket T "Do T":  status "done" to "todo", 
	13 task B "Do B":  status "pending" to "failed", 
	14 task B3~<uid1> "Do B3":  status "" to "pending", created
	15 task B3~<uid1> "Do B3":  status "pending" to "completed", 
	16 task C "Do C":  status "" to "pending", created
	17 epic E "Do E":  status "" to "pending", created
	18 task D "Do D":  status "" to "pending", created
	19 task D1 "Do D1":  status "" to "pending", created
	20 task D1 "Do D1":  status "pending" to "claimed", 
	21 ticket T "Do T":  status "todo" to "doing", 
	22 task D1 "Do D1":  status "claimed" to "completed", 
	23 task ! "Title": ann text "Do A" to "New text", better
	24 task ! "Title":  text "New text" to "Title", 
	25 task ! "Title":  priority "medium" to "critical", 
	26 task ! "Title":  estimate "" to "1m 30s", 
	27 task ! "Title": pull priority "critical" to "none", 
	28 task ! "Title": pull estimate "1m 30s" to "", 
	29 task ! "Title": ann key "A" to "Q", 
	30 task B3~<uid1> "Do B3":  deleted "" to "deleted", 
	31 task ! "Title":  key "Q" to "B3", 
	32 task ! "Title":  key "B3" to "!", 
