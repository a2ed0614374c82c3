-- What each project is: its language, framework, scope and dependencies, for the
-- whole (package '') and for each package of a monorepo.

-- classify/internal/profile --------------------------------------------------

-- scope_key is the scope as a sorted set of words, '' when it says nothing;
-- words is what a search looks in, lower case; dependency_keys are the keys of the
-- rows in profile_dependencies, sorted, so that comparing all profiles reads one
-- row for each; details is the rest of the profile as JSON, only ever shown.
CREATE TABLE profiles (
  id INTEGER PRIMARY KEY,
  project_id BIGINT NOT NULL REFERENCES projects (id),
  package TEXT NOT NULL DEFAULT '',
  path TEXT NOT NULL,
  name TEXT NOT NULL,
  language TEXT NOT NULL,
  framework TEXT NOT NULL,
  scope TEXT NOT NULL,
  scope_key TEXT NOT NULL DEFAULT '',
  manifest_type TEXT NOT NULL,
  agentsmd_hash TEXT NOT NULL DEFAULT '',
  input_hash TEXT NOT NULL,
  dependency_keys TEXT NOT NULL DEFAULT '',
  words TEXT NOT NULL DEFAULT '',
  details TEXT NOT NULL DEFAULT '{}',
  classified_at TEXT NOT NULL
);
CREATE UNIQUE INDEX profiles_package ON profiles (project_id, package);
CREATE INDEX profiles_language ON profiles (language, framework);
CREATE INDEX profiles_path ON profiles (path);

CREATE TABLE profile_dependencies (
  profile_id BIGINT NOT NULL REFERENCES profiles (id) ON DELETE CASCADE,
  ecosystem TEXT NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (profile_id, ecosystem, name)
);
CREATE INDEX profile_dependencies_by ON profile_dependencies (name, ecosystem, profile_id);
