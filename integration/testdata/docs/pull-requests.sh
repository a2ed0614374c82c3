# The reader's clone is of a repository at a forge, which is not asked.
git remote add origin git@github.com:acme/app.git
