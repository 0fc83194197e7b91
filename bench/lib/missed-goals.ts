/** What was tried where a goal is missed, by the question or by the group of questions. It is shown only while it is missed. */
export const missedGoals: Record<string, string> = {
  'Reads: first page of 50 posts':
    'the answer is known after 1 µs of work; what is left is to read and to send headers. It is met in some runs and missed by a little in others',
  'Reads: random deep pages of 50':
    'records and the order of lists from memory, without a statement or a promise; texts copied in one go. What is left is to copy 68 KB twice, from memory that no cache of the processor holds',
  'Reads: one post, random':
    'records from memory, whom a token stands for by the head of the WAL index; the work behind HTTP is 5 µs. To read five headers and to send twelve takes Bun 7 µs more than the bare server, which sends one',
  'Reads: an ETag that matches':
    'the answer is known after 2 µs of work. A server that does nothing but read the four headers such a request needs and send the eleven such an answer has reaches 0.55 to 0.70 itself',
  'Reads: comments of a post, random':
    'the order of lists from memory, answers kept from the second time on; of 30 µs, the bare server’s are 8, and reading and sending headers takes 10',
  'Reads: members by q among 100,000':
    'an index of the texts in memory, by the log; the search itself takes some 50 µs, most of it to count all who match, and the page 25',
  'Writes: 64 connections over one commit a write, this disk':
    'Markdown rendered once and sanitized only where it could hold something, statements compiled once, nothing read back: half the processor time of before. A flush takes 0.1 ms on this disk, so there is little to share: SQLite alone takes 50 µs of each write',
  'Reads: two processes over one':
    'the load generator shares the two cores with the two processes; asking with HEAD keeps its part small',
  'Start: to the first answer, 1,000,000 posts':
    'validators compiled and pg and the sanitizer loaded when first needed. Most of it is to load and compile the program from its sources; `npm run compile` makes an executable that starts in half the time',
  'SQLite: a page at 1,000,000 posts over 1,000':
    'every list is ranges of one index, with nothing sorted, counted or skipped. By activity, neighbours in the list are not neighbours on disk, so that each of the fifty posts is another page of a file of 1.2 GB',
  'PostgreSQL: a page at 1,000,000 posts over 1,000':
    'every list is ranges of one index, with nothing sorted, counted or skipped. By activity, neighbours in the list are not neighbours on disk',
  'SQLite: a page at 1,000,000 posts over 1,000, default memory':
    'a `CACHE_MB` of 256 holds some 130,000 posts: all of the small workspace, an eighth of the large one. More of it moves the limit',
  'PostgreSQL: a page at 1,000,000 posts over 1,000, default memory':
    'a `CACHE_MB` of 256 holds some 130,000 posts: all of the small workspace, an eighth of the large one. More of it moves the limit',
}
