# What systemd thinks of the unit, where it is installed.
command -v systemd-analyze > /dev/null || systemd-analyze() { :; }
export XDG_RUNTIME_DIR=$HOME
