-- Why an attempt ended, and what it used. `ending` is one of the kinds of agit/internal/run/ending,
-- '' while it runs; `until` is when the limit ends that it met. Tokens are those read anew, written, and
-- read from the service's cache; `cost` is in millionths of `currency`, '' where the client named none;
-- `computed` is 1 where the cost comes from a table of prices.

-- agit/internal/work/unattended ------------------------------------------------
ALTER TABLE attempts ADD COLUMN ending TEXT NOT NULL DEFAULT '';
ALTER TABLE attempts ADD COLUMN until TEXT;
ALTER TABLE attempts ADD COLUMN tokens_in BIGINT NOT NULL DEFAULT 0;
ALTER TABLE attempts ADD COLUMN tokens_out BIGINT NOT NULL DEFAULT 0;
ALTER TABLE attempts ADD COLUMN tokens_cached BIGINT NOT NULL DEFAULT 0;
ALTER TABLE attempts ADD COLUMN cost BIGINT NOT NULL DEFAULT 0;
ALTER TABLE attempts ADD COLUMN currency TEXT NOT NULL DEFAULT '';
ALTER TABLE attempts ADD COLUMN computed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE attempts ADD COLUMN model TEXT NOT NULL DEFAULT '';
ALTER TABLE attempts ADD COLUMN turns BIGINT NOT NULL DEFAULT 0;
CREATE INDEX attempts_started ON attempts (started_at);
