import Type from 'typebox'
import { kindOf } from '../../contract/browser/kinds'
import { invalidField } from '../../contract/errors'
import { count, describePage, itemText, lean, quoteName, shortenAll, tellUnreached, when, withText } from '../text'
import { file_ids, MarkdownOrFiles, PAGE_SIZE, pageFields, pageOf, paging, record, recordsOf, tool } from '../tool'

export const listThreads = tool({
  name: 'list_threads',
  title: 'List threads',
  description: 'List your threads (chats and direct messages), latest activity first.',
  input: { ...paging },
  output: { threads: recordsOf('title', 'url'), ...pageFields },
  async run(api, { limit = PAGE_SIZE, after }) {
    const page = await api.call('threads.list', { limit, after })
    const lines = page.data.map(
      ({ id, title, last_activity_at, messages_count, is_direct }) =>
        `- ${quoteName(title)} (${id})${is_direct ? ', direct' : ''}, ${count(messages_count, 'message')}, active ${when(last_activity_at)}`,
    )
    return {
      text: [describePage(page, lines.length, 'thread'), lines.join('\n')].join('\n\n'),
      data: { threads: lean(page.data), ...pageOf(page) },
    }
  },
})

export const readThread = tool({
  name: 'read_thread',
  title: 'Read a thread',
  description: 'Read the latest messages of a thread, oldest first. `next_cursor` leads to earlier ones.',
  input: { thread_id: Type.String({ description: 'thr_…' }), ...paging },
  output: { thread: record('title', 'url'), messages: recordsOf('content_markdown'), ...pageFields },
  async run(api, { thread_id, limit = PAGE_SIZE, after }) {
    const thread = await api.call('threads.get', { id: thread_id })
    const page = await api.call('messages.list', { thread_id, limit, after })
    const messages = await withText(api, page.data.toReversed(), shortenAll)
    const people = thread.members.map(({ name }) => quoteName(name)).join(', ')
    const text = [
      `# ${quoteName(thread.title)}`,
      `${thread.id} with ${people}. ${thread.url}`,
      describePage(page, messages.length, 'message'),
      ...messages.map(({ record, text }) => itemText(record, text)),
    ]
    const data = { thread: lean(thread), messages: messages.map(({ record }) => record), ...pageOf(page) }
    return { text: text.join('\n\n'), data }
  },
})

export const sendMessage = tool({
  name: 'send_message',
  title: 'Send a message',
  description: 'Write into a thread, or directly to a member.',
  input: {
    to: Type.String({ description: 'A thread (thr_…) or a member (mem_…).' }),
    content_markdown: MarkdownOrFiles,
    file_ids,
    parent_id: Type.Optional(Type.String({ description: 'msg_…, the message this answers.' })),
  },
  output: { message: record('thread_id') },
  writes: 'adds',
  async run(api, { to, ...input }) {
    const kind = kindOf(to)
    if (kind !== 'thread' && kind !== 'member')
      throw invalidField(
        'to',
        'Must be a thread (thr_…) or a member (mem_…). `list_threads` and `find_people` have the ids.',
      )
    const message =
      kind === 'member'
        ? await api.call('messages.createDirect', { member_id: to, ...input })
        : await api.call('messages.create', { thread_id: to, ...input })
    const unreached = await tellUnreached(api, message.thread_id, message.content)
    return { text: `Sent: ${message.id} in ${message.thread_id}.${unreached}`, data: { message: lean(message) } }
  },
})
