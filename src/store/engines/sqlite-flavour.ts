import { type Kysely, type SqlBool, sql } from 'kysely'
import type { Flavour } from './flavour'

const TRIGRAM = 3

export const sqliteFlavour: Flavour = {
  key: 'integer primary key autoincrement',
  int: 'integer',
  text: 'text',

  async createMemberSearch(db: Kysely<never>) {
    await sql`CREATE VIRTUAL TABLE members_search
      USING fts5(search_text, content='', contentless_delete=1, tokenize='trigram')`.execute(db)
    await sql`CREATE TRIGGER members_search_insert AFTER INSERT ON members BEGIN
      INSERT INTO members_search (rowid, search_text) VALUES (new.author_key, new.search_text);
    END`.execute(db)
    await sql`CREATE TRIGGER members_search_update AFTER UPDATE OF search_text ON members BEGIN
      UPDATE members_search SET search_text = new.search_text WHERE rowid = new.author_key;
    END`.execute(db)
  },

  memberSearch(text) {
    // Shorter than a trigram the index has no answer; so short a text is in so many names that a scan ends soon.
    if ([...text].length < TRIGRAM) {
      return {
        shape: 'scan',
        pattern: text,
        condition: (pattern) => sql<SqlBool>`instr(members.search_text, ${pattern}) > 0`,
      }
    }
    return {
      shape: 'trigram',
      pattern: `"${text.replaceAll('"', '""')}"`,
      condition: (pattern) =>
        sql<SqlBool>`members.author_key IN (SELECT rowid FROM members_search WHERE members_search MATCH ${pattern})`,
    }
  },
}
