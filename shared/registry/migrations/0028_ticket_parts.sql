-- What trackers keep beside a ticket's own fields.

-- pmsync/internal/ticket -----------------------------------------------------

-- The custom fields that the configuration names, with their values as people read them:
-- '' for none, of several values each on a line.
CREATE TABLE ticket_fields (
  id INTEGER PRIMARY KEY,
  item_id BIGINT NOT NULL REFERENCES tickets (item_id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  name_key TEXT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL
);
CREATE UNIQUE INDEX ticket_fields_one ON ticket_fields (item_id, name_key);

-- Attachments and web pages of a ticket. size is in bytes, 0 where it is not known.
CREATE TABLE ticket_files (
  id INTEGER PRIMARY KEY,
  item_id BIGINT NOT NULL REFERENCES tickets (item_id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('attachment', 'web')),
  name TEXT NOT NULL,
  url TEXT NOT NULL,
  size BIGINT NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX ticket_files_one ON ticket_files (item_id, position);

-- The last comments of a ticket, as they were read last. They are the words of others.
CREATE TABLE ticket_comments (
  id INTEGER PRIMARY KEY,
  item_id BIGINT NOT NULL REFERENCES tickets (item_id) ON DELETE CASCADE,
  remote_id TEXT NOT NULL,
  author TEXT NOT NULL,
  body TEXT NOT NULL,
  url TEXT NOT NULL DEFAULT '',
  written_at TEXT NOT NULL
);
CREATE UNIQUE INDEX ticket_comments_one ON ticket_comments (item_id, remote_id);
