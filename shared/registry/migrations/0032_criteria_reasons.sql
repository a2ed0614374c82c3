-- Why a criterion was found is kept with it, and whether its author called it one.

-- pmsync/internal/criteria -----------------------------------------------------

-- `why` is a clause about the text; '' for one that a person added. An unsure one is a line that nobody called a
-- criterion; it becomes a sure one when it is judged or confirmed, and is not asked for until then.
ALTER TABLE criteria ADD COLUMN why TEXT NOT NULL DEFAULT '';
ALTER TABLE criteria ADD COLUMN unsure INTEGER NOT NULL DEFAULT 0 CHECK (unsure IN (0, 1));
