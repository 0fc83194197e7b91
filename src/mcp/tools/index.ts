import { may } from '../../domain/permissions'
import type { AgentApi } from '../agent-api'
import type { Tool } from '../tool'
import { findPeople, listChannels } from './channels'
import { inbox, whatsNew } from './news'
import { comment, listPosts, react, readPost, resolvePost, writePost } from './posts'
import { search } from './search'
import { listThreads, readThread, sendMessage } from './threads'

export const tools: readonly Tool[] = [
  ...[search, listChannels, listPosts, readPost, writePost, comment, react, resolvePost],
  ...[listThreads, readThread, sendMessage, findPeople, inbox, whatsNew],
]

/** The tools a caller is told of. The gate decides about each call, whether they were told or not. */
export const toolsFor = ({ viewer }: Pick<AgentApi, 'viewer'>): Tool[] =>
  tools.filter(
    ({ writes, isForMembers }) => (!writes || may(viewer, 'write')) && !(isForMembers && viewer.author.type === 'app'),
  )
