"""The evaluation system of LG96 5.2: messages of an algorithm compared with the true differences."""
