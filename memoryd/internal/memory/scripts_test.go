package memory

import "testing"

// Names of programming languages with signs, and words in another script than the text around them, are found.
func TestNamesWithSignsAndScripts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for key, content := range map[string]string{
		"cpp": "The scheduler is written in C++ and built with bazel", "cs": "The launcher is written in C# and built with msbuild",
		"c": "The driver is written in C and built with make", "fs": "The pricing rules are written in F# by the quants",
		"utc": "時刻はUTCで保存する", "redis": "使用Redis缓存会话", "index": "report后索引清零", "secret": "用KMS轮换密钥", "thai": "ระบบAPIใหม่ใช้พอร์ต 8443", "korean": "결제API를 두 번 호출한다",
		"cyrillic": "Сервис платежей хранит логи в ClickHouse",
	} {
		w.put(New{Key: key, Content: content, Thread: key})
	}
	for question, want := range map[string]string{
		"C++": "cpp", "C#": "cs", "F#": "fs", "what is written in C++?": "cpp", "what is written in C#?": "cs", "what is written in C?": "c",
		"UTC": "utc", "redis": "redis", "索引": "index", "密钥": "secret", "缓存": "redis", "API ใหม่": "thai", "결제": "korean", "платежей": "cyrillic", "clickhouse": "cyrillic",
	} {
		a := w.recall(Query{Text: question})
		if len(a.Memories) == 0 || a.Memories[0].Key != want {
			t.Errorf("%q finds %v, want %q first", question, keys(a), want)
		} else if len(a.Memories) > 1 && a.Memories[1].Score == a.Memories[0].Score {
			t.Errorf("%q: a tie of %v", question, keys(a))
		}
	}
}
