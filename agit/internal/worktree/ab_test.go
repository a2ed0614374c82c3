package worktree
import ("testing";"context";"time")
func TestAB(t *testing.T){
  f := setUp(t)
  w := f.spawn(Spawn{Task:"x"})
  f.tree(w).Commit("c","n","x"); f.main.Git("merge","-q","--no-edit",w.Branch)
  g,_ := f.repo.Open(); ctx:=context.Background()
  for i:=0;i<12;i++{
   t0:=time.Now(); p,_:=f.identify(ctx,g,f.repo,w); t1:=time.Now()
   f.checkContent(ctx,g,p); t2:=time.Now()
   checkMerged(ctx,g,p,w,"main"); t3:=time.Now()
   f.checkPeople(ctx,p,w,f.set,""); t4:=time.Now()
   f.prove(ctx,g,f.repo,w,f.set,""); t5:=time.Now()
   f.recovered(ctx,f.repo); t6:=time.Now()
   f.exec(`UPDATE agents SET name=name`); t7:=time.Now()
   f.main.Git("update-ref","refs/x","HEAD"); t8:=time.Now()
   t.Log("identify",t1.Sub(t0),"content",t2.Sub(t1),"merged",t3.Sub(t2),"people",t4.Sub(t3),"| prove",t5.Sub(t4), "recovered",t6.Sub(t5),"write",t7.Sub(t6),"update-ref",t8.Sub(t7))
  }
}
