# Runs a program that uses MLPerf's LoadGen, then prints the logs that LoadGen has written.
# Arguments: the program, a folder for the logs, the seconds that are asked for. The program gets the last two.
set -eu
mkdir -p "$2"
"$1" "$2" "$3" >&2
exec cat "$2/mlperf_log_summary.txt" "$2/mlperf_log_detail.txt"
