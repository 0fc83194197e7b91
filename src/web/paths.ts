const POSTS = '/posts'
const CHANNELS = '/channels'
const THREADS = '/threads'
const MEMBERS = '/members'
const SEARCH = '/search'
const SETTINGS = '/settings'
const SIGN_IN = '/sign-in'

type Query = URLSearchParams | Record<string, string | undefined>

/** A path with its query; parameters that are undefined are left out. */
export function withQuery(path: string, query: Query): string {
  const entries = query instanceof URLSearchParams ? [...query] : Object.entries(query)
  const given = new URLSearchParams(entries.filter((entry): entry is [string, string] => entry[1] !== undefined))
  return given.size > 0 ? `${path}?${given}` : path
}

const withHash = (path: string, hash: string | undefined) => (hash ? `${path}#${hash}` : path)

/** The path of every page. Each link, redirect and navigation of the web app is built here. */
export const paths = {
  home: '/',
  signIn: (returnTo?: string) => withQuery(SIGN_IN, { to: returnTo }),
  posts: POSTS,
  openPosts: `${POSTS}?resolved=false`,
  resolvedPosts: `${POSTS}?resolved=true`,
  newPost: (channelId?: string) => withQuery(`${POSTS}/new`, { channel: channelId }),
  post: (id: string, commentId?: string) => withHash(`${POSTS}/${id}`, commentId),
  channels: CHANNELS,
  archivedChannels: `${CHANNELS}?archived`,
  newChannel: `${CHANNELS}?new`,
  channelDetails: (id: string) => withQuery(CHANNELS, { open: id }),
  channel: (id: string) => `${CHANNELS}/${id}`,
  threads: THREADS,
  newThread: (memberIds: readonly string[] = []) =>
    memberIds.length > 0 ? `${THREADS}/new?with=${memberIds.join()}` : `${THREADS}/new`,
  thread: (id: string, messageId?: string) => withHash(`${THREADS}/${id}`, messageId),
  members: MEMBERS,
  member: (id: string) => `${MEMBERS}/${id}`,
  search: (query: { q?: string; sort?: string } = {}) => withQuery(SEARCH, query),
  settings: (section?: string, id?: string) =>
    [SETTINGS, section, id].filter((segment) => segment !== undefined).join('/'),
  apiReference: '/docs',
}

/** The route patterns of these paths. */
export const routes = {
  home: '/',
  signIn: SIGN_IN,
  posts: POSTS,
  newPost: `${POSTS}/new`,
  post: `${POSTS}/:id`,
  channels: CHANNELS,
  channel: `${CHANNELS}/:id`,
  threads: `${THREADS}/:id?`,
  members: MEMBERS,
  member: `${MEMBERS}/:id`,
  search: SEARCH,
  settings: `${SETTINGS}/:section?/:id?`,
} as const

/** Requests that are not operations of the typed client. */
export const endpoints = {
  session: '/session',
  sessionToken: '/session/token',
  sessionLink: '/session/link',
  openApi: '/v2/openapi.json',
  me: '/v2/me',
}

/** Where the Markdown of each kind of record is. */
export const sources = {
  post: (id: string) => `/v2/posts/${id}`,
  resolution: (postId: string) => `/v2/posts/${postId}/resolution`,
  comment: (id: string) => `/v2/comments/${id}`,
  message: (id: string) => `/v2/messages/${id}`,
}

export type Section = 'posts' | 'channels' | 'threads' | 'members'

/** The section that a page about one record belongs to; undefined for every other page. */
export const getRecordSection = (path: string): Section | undefined =>
  path.match(/^\/(posts|channels|threads|members)\/(?!new$)[^/]+$/)?.[1] as Section | undefined
