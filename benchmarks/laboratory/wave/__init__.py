"""Wave indexes, and other ways to keep a window of days, measured."""
