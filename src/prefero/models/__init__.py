"""What was learned from the answers: functions of a candidate, lower is better."""
