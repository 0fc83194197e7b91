import Type from 'typebox'
import { invalidField } from '../../contract/errors'
import type { AgentApi } from '../agent-api'
import { quoteName } from '../text'
import { tool } from '../tool'

interface Change {
  id: string
  emoji: string
}

/** How to add and remove a reaction, by the prefix of the record's id. */
const kinds = {
  post: {
    add: (api: AgentApi, { id, emoji }: Change) => api.call('reactions.addToPost', { post_id: id, emoji }),
    remove: (api: AgentApi, { id, emoji }: Change) => api.call('reactions.removeFromPost', { post_id: id, emoji }),
  },
  cmt: {
    add: (api: AgentApi, { id, emoji }: Change) => api.call('reactions.addToComment', { comment_id: id, emoji }),
    remove: (api: AgentApi, { id, emoji }: Change) =>
      api.call('reactions.removeFromComment', { comment_id: id, emoji }),
  },
  msg: {
    add: (api: AgentApi, { id, emoji }: Change) => api.call('reactions.addToMessage', { message_id: id, emoji }),
    remove: (api: AgentApi, { id, emoji }: Change) =>
      api.call('reactions.removeFromMessage', { message_id: id, emoji }),
  },
}

export const react = tool({
  name: 'react',
  title: 'React',
  description: 'React with an emoji, or undo it. Better than a comment that only agrees.',
  input: {
    id: Type.String({ description: 'post_…, cmt_… or msg_…' }),
    emoji: Type.String({ description: '👍, or the name of a custom emoji.' }),
    remove: Type.Optional(Type.Boolean()),
  },
  output: { emoji: { type: 'string' } },
  writes: 'adds',
  async run(api, { remove = false, ...change }) {
    const [, kind] = /^(post|cmt|msg)_/.exec(change.id) ?? []
    if (!kind) throw invalidField('id', 'Must be a post (post_…), a comment (cmt_…) or a message (msg_…).')
    const { add, remove: takeBack } = kinds[kind as keyof typeof kinds]
    await (remove ? takeBack : add)(api, change)
    const what = remove ? 'Removed the reaction' : 'Reacted with'
    return { text: `${what} ${quoteName(change.emoji)}: ${change.id}.`, data: { ...change } }
  },
})
