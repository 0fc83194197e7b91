import { notFound } from '../contract/errors'
import type { AgentApi } from './agent-api'
import { completeResource, readResource } from './resources'

interface Prompt {
  name: string
  title: string
  description: string
  /** The record it is about. */
  argument?: { name: string; description: string; kind: 'posts' | 'threads' }
  text: string
}

const prompts: readonly Prompt[] = [
  {
    name: 'catch_me_up',
    title: 'Catch me up',
    description: 'What happened lately, and what needs an answer.',
    text: `Catch me up on my Parley workspace. Read my inbox (unread entries first), call whats_new, and read the posts and threads that matter.
Then tell me, shortest first: 1. what waits for an answer from me, 2. what was decided or resolved, 3. what else is worth knowing. Name the people, and link every post by its url. Write nothing in Parley and mark nothing as read.`,
  },
  {
    name: 'summarize_thread',
    title: 'Summarize a thread',
    description: 'The gist of a thread, its decisions and open questions.',
    argument: { name: 'thread_id', description: 'thr_…', kind: 'threads' },
    text: `Summarize this Parley thread in a few sentences. Then list its decisions, who does what until when, and the questions nobody answered. If it has earlier messages that you need, read them with read_thread. Write nothing in Parley.`,
  },
  {
    name: 'draft_resolution',
    title: 'Draft a resolution',
    description: 'A note that resolves a post, drawn from its comments.',
    argument: { name: 'post_id', description: 'post_…', kind: 'posts' },
    text: `Draft the resolution of this Parley post: one or two sentences that answer it, drawn only from the post and its comments. Say which comment (its id) answers it best, if one does, and what is still open. Show me the draft; call resolve_post only after I have agreed.`,
  },
]

export const listPrompts = () =>
  prompts.map(({ name, title, description, argument }) => ({
    name,
    title,
    description,
    ...(argument && { arguments: [{ name: argument.name, description: argument.description, required: true }] }),
  }))

/** The messages of a prompt, with the record it is about; undefined if there is no such prompt. */
export async function getPrompt(api: AgentApi, name: string, given: Record<string, string> = {}) {
  const prompt = prompts.find((each) => each.name === name)
  if (!prompt) return undefined
  const { description, argument, text } = prompt
  const ask = { role: 'user' as const, content: { type: 'text' as const, text } }
  if (!argument) return { description, messages: [ask] }
  const resource = await readResource(api, `parley://${argument.kind}/${given[argument.name] ?? ''}`)
  if (!resource) throw notFound(argument.kind === 'posts' ? 'post' : 'thread')
  return { description, messages: [ask, { role: 'user' as const, content: { type: 'resource' as const, resource } }] }
}

export async function completePrompt(api: AgentApi, name: string, argument: string, start: string) {
  const kind = prompts.find((each) => each.name === name && each.argument?.name === argument)?.argument?.kind
  return kind ? completeResource(api, `parley://${kind}/{id}`, start) : []
}
