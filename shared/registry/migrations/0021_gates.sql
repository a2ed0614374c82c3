-- What of the gate a landing left out at a person's word: its commands, or why it could
-- not run; '' where none was left out.

-- agit/internal/land ---------------------------------------------------------
ALTER TABLE landings ADD COLUMN gate_skipped TEXT NOT NULL DEFAULT '';
