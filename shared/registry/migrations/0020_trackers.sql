-- Which trackers there are stands in the program alone, so that another one needs no
-- change of the schema. A column that holds the same values takes the place of the
-- one that was checked: rows, foreign keys and triggers stay as they are.

DROP INDEX sprints_remote;
ALTER TABLE sprints ADD COLUMN tracker TEXT NOT NULL DEFAULT 'local';
UPDATE sprints SET tracker = provider;
ALTER TABLE sprints DROP COLUMN provider;
ALTER TABLE sprints RENAME COLUMN tracker TO provider;
CREATE UNIQUE INDEX sprints_remote ON sprints (project_id, provider, remote_id);

DROP INDEX tickets_remote;
ALTER TABLE tickets ADD COLUMN tracker TEXT NOT NULL DEFAULT 'local';
UPDATE tickets SET tracker = provider;
ALTER TABLE tickets DROP COLUMN provider;
ALTER TABLE tickets RENAME COLUMN tracker TO provider;
CREATE UNIQUE INDEX tickets_remote ON tickets (project_id, provider, remote_id);

ALTER TABLE trackers ADD COLUMN tracker TEXT NOT NULL DEFAULT '';
UPDATE trackers SET tracker = provider;
ALTER TABLE trackers DROP COLUMN provider;
ALTER TABLE trackers RENAME COLUMN tracker TO provider;

-- shared/work ----------------------------------------------------------------

-- What an item waits for that has no row here: a ticket of another project of its
-- tracker, or one that an import did not bring. Each row is one of items.holds.
CREATE TABLE outside_blockers (
  item_id BIGINT NOT NULL REFERENCES items (id) ON DELETE CASCADE,
  ref_key TEXT NOT NULL,
  ref TEXT NOT NULL,
  title TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (item_id, ref_key)
);
CREATE INDEX outside_blockers_ref ON outside_blockers (ref_key);
