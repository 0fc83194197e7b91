import type { Role } from '../contract/members'
import { escapeMarkdown } from './markdown/attributes'

/** What a hook is asked to write. The title is plain text. */
export interface HookText {
  title?: string
  markdown: string
}

/** Admins and members may have incoming webhooks. */
export const canHaveHooks = (role: Role | null): boolean => role === 'admin' || role === 'member'

interface HookState {
  hash: string | null
  role: Role | null
  is_deactivated: boolean | null
  channel_key: number
  post_key: number
  is_private: boolean | null
  archived_at: number | null
  post_title: string | null
  thread_title: string | null
  is_owner_in: boolean
}

/** Why a hook refuses what it is sent; undefined where it works. */
export function findHookProblem(hook: HookState): string | undefined {
  if (hook.is_deactivated) return 'Its owner is deactivated.'
  if (hook.hash === null) return 'Its address no longer works. Its owner can give it a new one.'
  if (!canHaveHooks(hook.role)) return 'Its owner may no longer have incoming webhooks.'
  if (hook.channel_key !== 0) {
    // First: who cannot see the channel does not hear what became of it.
    if (hook.is_private && !hook.is_owner_in) return 'Its owner can no longer see the channel.'
    if (hook.archived_at !== null) return 'The channel is archived.'
    return hook.post_key !== 0 && hook.post_title === null ? 'The post was deleted.' : undefined
  }
  return hook.is_owner_in ? undefined : 'Its owner no longer takes part in the thread.'
}

/** The text for a comment or a message, which have no title of their own. */
export const withTitle = ({ title, markdown }: HookText): string =>
  title ? `**${escapeMarkdown(title)}**\n\n${markdown}`.trim() : markdown
