import { expect } from 'bun:test'
import { byId, type Cast, file, nothing, sameId, someRecords, thread } from './cast'
import type { Entries } from './entry'
import { authorOnly, read, write } from './rules'

/** A file in a thread. */
async function sharedFile(cast: Cast) {
  const { id } = await file(cast)
  const thread_id = (await thread(cast)).id
  await cast.author.messages.create({ thread_id, content_markdown: '', file_ids: [id] })
  return { id }
}

export const files: Entries<'files'> = {
  'files.upload': {
    input: async () => ({ file: new Blob(['Hello'], { type: 'text/plain' }), name: 'hello.txt' }),
    rule: write('self'),
    check: ({ name, size }) => expect([name, size]).toEqual(['hello.txt', 5]),
    events: {},
    again: 'same events',
    random: ({ files, name }) => files && { file: new Blob([name()]), name: 'a.txt' },
  },
  'files.limits': {
    input: nothing,
    rule: read('self'),
    check: ({ used_bytes }) => expect(used_bytes).toBeNumber(),
  },
  'files.list': {
    input: (cast) => file(cast).then(nothing),
    rule: read('self'),
    check: someRecords,
  },
  'files.get': { input: byId(file), rule: read('self', { except: authorOnly }), check: sameId },
  'files.content': {
    input: byId(file),
    rule: read('self', { except: authorOnly }),
    check: ({ status }) => expect(status).toBe(200),
  },
  'files.delete': {
    input: byId(file),
    rule: write('self', { except: authorOnly }),
    events: {},
    again: 'not_found',
    also: {
      'that a message shows': {
        input: byId(sharedFile),
        rule: write('thread', { isAuthors: true }),
        events: { 'file.deleted': ({ input: { id } }) => ({ id }) },
        again: 'not_found',
      },
    },
    random: ({ files, one, below }) => (files && below(3) === 0 ? { id: one(files) } : undefined),
  },
}
