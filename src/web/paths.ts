const INBOX = '/inbox'
const POSTS = '/posts'
const CHANNELS = '/channels'
const THREADS = '/threads'
const MEMBERS = '/members'
const SEARCH = '/search'
const SETTINGS = '/settings'
const SIGN_IN = '/sign-in'
const RESET_PASSWORD = '/reset-password'
const CONFIRM_EMAIL = '/confirm-email'

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
  inbox: INBOX,
  inboxTab: (tab: string) => withQuery(INBOX, { tab: tab === 'all' ? undefined : tab }),
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
  invite: `${MEMBERS}?invite`,
  member: (id: string) => `${MEMBERS}/${id}`,
  search: (query: { q?: string; sort?: string } = {}) => withQuery(SEARCH, query),
  settings: (section?: string, id?: string) =>
    [SETTINGS, section, id].filter((segment) => segment !== undefined).join('/'),
  apiReference: '/docs',
  hookGuide: '/docs/incoming-webhooks',
}

/** The route patterns of these paths. */
export const routes = {
  home: '/',
  signIn: SIGN_IN,
  resetPassword: RESET_PASSWORD,
  confirmEmail: CONFIRM_EMAIL,
  inbox: INBOX,
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
  sessionOptions: '/session/options',
  sessionMail: '/session/mail',
  sessionPassword: '/session/password',
  sessionEmail: '/session/email',
  serviceWorker: '/sw.js',
  openApi: '/v2/openapi.json',
  me: '/v2/me',
}

/** What the page asks for while the app is still loading, exactly as the typed client writes it. */
export const firstUrls = {
  me: '/v2/me',
  channels: '/v2/channels?sort=name&direction=asc',
  posts: (query: object) =>
    `/v2/posts?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))}`,
  post: (id: string) => `/v2/posts/${id}`,
  comments: (postId: string) => `/v2/posts/${postId}/comments`,
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
