package framework

// nativeRows are recognised by files alone: the files with which such a project is built or opened.
var nativeRows = []row{
	{name: "godot", kind: Framework, files: "project.godot"},
	{name: "unreal", kind: Framework, files: "*.uproject", aka: "unreal engine"},
	{name: "platformio", kind: Framework, files: "platformio.ini"},
	{name: "arduino", kind: Framework, files: "library.properties~architectures sketch.yaml"},
	{name: "esp-idf", kind: Framework, files: "sdkconfig.defaults idf_component.yml", aka: "espressif iot development framework"},
	{name: "zephyr", kind: Framework, files: "prj.conf~CONFIG_", aka: "zephyr rtos"},
	{name: "ros", kind: Framework, files: "package.xml~ament_cmake package.xml~catkin", aka: "ros 2|ros2|robot operating system"},
	{name: "qt", kind: Framework, files: "CMakeLists.txt~find_package(Qt6 CMakeLists.txt~find_package(Qt5 CMakeLists.txt~find_package(QT *.pro~QT&+= *.pro~QT+="},
}
