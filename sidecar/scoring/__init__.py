"""The Scorer port and its adapters: embedded, triton, static."""
