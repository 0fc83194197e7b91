import type { Result } from './results'

/** What was tried for a goal, by the beginning of the name of a result. Shown only while the goal is missed. */
const attempts: Record<string, string> = {
  'Page of 50 posts':
    'Tried: rows put together in JavaScript, `json_group_array`, `||`, `replace()`, and `concat()` of stored fields in one statement, which is the fastest and is used; smaller and larger page caches; on PostgreSQL a limit that lets it keep its plan (2.5 times cheaper), and bytes instead of text. On SQLite the statement alone takes five times as long as the bare server, a fifth of it for reading pages of the file. Without the statement, checking the caller and the input, cursors, headers and a fresh buffer would still take 220 µs. Mapping the file into memory would save a tenth, but a damaged disk would then end the process.',
  'One post':
    'The statement takes a tenth of the time; the rest is reading the headers, checking the caller and the input, and a dozen headers in the response. Tried: fewer promises, fewer functions. A part is the compiler of JavaScriptCore: after 15,000 requests a post takes a third less.',
  'Personal: a mark relative to a comment':
    'A comment on SQLite takes only a third of a millisecond here, as 32 connections share a commit, and nobody follows. A mark finds the post, what was read of it and of its channel, writes the position and its event, and moves the state that validates the own responses. Tried: limits that are written out, which SQLite need not compile again; not looking at the posts of a channel where nothing could be deleted. On PostgreSQL these are marks of one member, who is locked for each group of them.',
  'Personal: 1,000 feeds':
    'On PostgreSQL nothing is known about a token without asking, so each of the 1,000 requests is a look-up, in batches.',
  'First page, 100 drafts':
    'The figure has the processor time of the 100 writes a second in it, which the bare server does not do; without writes it is that of the first page requested repeatedly.',
  'Live: 10,000 streams': 'Each open stream takes about 42 KiB, so 10,000 take 420 MB of the peak.',
  'Comments of a post': 'Two statements, one for the post and one for the page: see one post.',
  'Messages of a thread': 'Two statements, one for the thread and one for the page: see one post.',
  'Page of 50 members': 'Each record is made of two rows, and names are escaped when they are read.',
  'First page of 50 posts, requested repeatedly':
    'The response is in memory and is not copied. What remains is checking the token, the rate limit and the revision, reading four headers and sending a dozen. Tried: none of these alone takes more than 3 µs. On PostgreSQL the caller and the revision are looked up for each batch of requests.',
  'Comments written by 32 connections':
    'Tried: `Bun.SQL`, shared transactions, look-ups and events for all writes of a transaction at once, statements that are sent without waiting. Three statements for each comment remain, and PostgreSQL shares the two cores with the server and the load generator.',
  'Member search among 100,000':
    'Tried: an index that holds the texts, which is used on SQLite, `LIKE` and `GLOB`. Visiting 100,000 rows takes 15 to 20 ms, whatever is done with them; names in memory took 2 to 14 ms in all, and 620 lines.',
  'A page at 1,000,000 posts relative to 1,000':
    'At 1,000 posts SQLite has the whole table in its page cache. At 1,000,000 a page of resolved posts, which are a third of all, is spread over three times as much of the file, and each part is read from the file cache. Tried: a larger page cache, which costs memory and gains nothing.',
  'From `npm start`':
    'Tried: validators compiled and PostgreSQL loaded on first use, a bundle with bytecode, which is used. Most of what is left is npm itself.',
  'Web in use: heap after':
    'What grows is machine code, which the browser goes on compiling for what runs often; without it, the heap does not grow.',
  'Cold pages: two processes':
    'The load generator shares the two cores with both processes; HEAD requests keep its part small.',
}

export const describeAttempts = ({ name }: Result): string | undefined =>
  Object.entries(attempts).find(([beginning]) => name.startsWith(beginning))?.[1]
