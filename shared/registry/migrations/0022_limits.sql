-- How long a tracker wants no requests, for all processes that call it; and fields of
-- any name on their way to a tracker.

-- pmsync/internal/outbox -----------------------------------------------------

ALTER TABLE pending_changes ADD COLUMN field TEXT NOT NULL DEFAULT '';
UPDATE pending_changes SET field = change_type;
ALTER TABLE pending_changes DROP COLUMN change_type;
ALTER TABLE pending_changes RENAME COLUMN field TO change_type;

-- pmsync/internal/limit ------------------------------------------------------

-- account is the tracker and its address; bucket is the limit that counts ('' is every
-- request). until is by the clock of the registry; until_up is the same in milliseconds
-- since the machine started, of the start that boot names, and wins there: a clock that
-- is set does not change it.
CREATE TABLE tracker_limits (
  account TEXT NOT NULL,
  bucket TEXT NOT NULL,
  until TEXT NOT NULL,
  boot TEXT NOT NULL DEFAULT '',
  until_up BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (account, bucket)
);
