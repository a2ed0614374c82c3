package framework

var pubRows = []row{
	{name: "serverpod", kind: Meta, any: "serverpod"},
	{name: "jaspr", kind: Meta, any: "jaspr"},
	{name: "dart_frog", kind: Framework, any: "dart_frog", aka: "dart frog"},
	{name: "flutter", kind: Framework, any: "flutter"},
	{name: "conduit", kind: Framework, any: "conduit conduit_core"},
	{name: "angel", kind: Framework, any: "angel3_framework angel_framework"},
	{name: "ngdart", kind: Framework, any: "ngdart angular"},
	{name: "shelf", kind: Library, any: "shelf"},
}
