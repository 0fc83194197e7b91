import type { PreviewSize } from '../contract/files'

const INBOX = '/inbox'
const SAVED = '/saved'
const POSTS = '/posts'
const CHANNELS = '/channels'
const THREADS = '/threads'
const DRAFTS = '/drafts'
const MEMBERS = '/members'
const GROUPS = '/groups'
const SEARCH = '/search'
const SETTINGS = '/settings'
const SIGN_IN = '/sign-in'
const RESET_PASSWORD = '/reset-password'
const CONFIRM_EMAIL = '/confirm-email'
const JOIN = '/join'
const IMAGES = '/images'

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
  /** An image of another server, loaded by this one. */
  image: (url: string) => withQuery(IMAGES, { url }),
  signIn: (returnTo?: string) => withQuery(SIGN_IN, { to: returnTo }),
  inbox: INBOX,
  inboxTab: (tab: string) => withQuery(INBOX, { tab: tab === 'all' ? undefined : tab }),
  saved: SAVED,
  posts: POSTS,
  openPosts: `${POSTS}?resolved=false`,
  resolvedPosts: `${POSTS}?resolved=true`,
  newPost: (channelId?: string) => withQuery(`${POSTS}/new`, { channel: channelId }),
  post: (id: string, commentId?: string) => withHash(`${POSTS}/${id}`, commentId),
  channels: CHANNELS,
  newChannel: `${CHANNELS}?new`,
  channel: (id: string) => `${CHANNELS}/${id}`,
  channelFiles: (id: string) => `${CHANNELS}/${id}/files`,
  channelAbout: (id: string) => `${CHANNELS}/${id}/about`,
  threads: THREADS,
  newThread: (memberIds: readonly string[] = []) =>
    memberIds.length > 0 ? `${THREADS}/new?with=${memberIds.join()}` : `${THREADS}/new`,
  newDirectMessage: `${THREADS}/new?direct`,
  thread: (id: string, messageId?: string) => withHash(`${THREADS}/${id}`, messageId),
  drafts: DRAFTS,
  members: MEMBERS,
  invite: `${MEMBERS}?invite`,
  member: (id: string) => `${MEMBERS}/${id}`,
  group: (id: string) => `${GROUPS}/${id}`,
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
  join: JOIN,
  inbox: INBOX,
  saved: SAVED,
  posts: POSTS,
  newPost: `${POSTS}/new`,
  post: `${POSTS}/:id`,
  channels: CHANNELS,
  channel: `${CHANNELS}/:id`,
  channelFiles: `${CHANNELS}/:id/files`,
  channelAbout: `${CHANNELS}/:id/about`,
  threads: `${THREADS}/:id?`,
  drafts: DRAFTS,
  members: MEMBERS,
  member: `${MEMBERS}/:id`,
  group: `${GROUPS}/:id`,
  search: SEARCH,
  settings: `${SETTINGS}/:section?/:id?`,
} as const

const FILES = '/files'

/** Whether a path is that of a channel, or of what belongs to it. */
export const isOfChannel = (id: string, path: string) =>
  [paths.channel(id), paths.channelFiles(id), paths.channelAbout(id)].includes(path)

/** Where the browser loads files from. */
export const fileUrls = {
  original: (id: string) => `${FILES}/${id}`,
  preview: (id: string, size: PreviewSize) => `${FILES}/${id}/${size}`,
  download: (id: string) => `${FILES}/${id}/download`,
}

/** Whether a path is a file, and not a page of the app. */
export const isFileUrl = (path: string) => path.startsWith(`${FILES}/`)

/** Requests that are not operations of the typed client. */
export const endpoints = {
  session: '/session',
  sessionToken: '/session/token',
  sessionLink: '/session/link',
  sessionOptions: '/session/options',
  sessionMail: '/session/mail',
  sessionPassword: '/session/password',
  sessionEmail: '/session/email',
  sessionInvite: '/session/invite',
  sessionJoin: '/session/join',
  serviceWorker: '/sw.js',
  openApi: '/v2/openapi.json',
  upload: (name: string) => withQuery('/v2/files', { name }),
  me: '/v2/me',
}

/** What the page asks for while the app is still loading, exactly as the typed client writes it. */
export const firstUrls = {
  me: '/v2/me',
  channels: '/v2/channels?sort=name&direction=asc&joined=true',
  sidebar: '/v2/sidebar',
  posts: (query: object) =>
    `/v2/posts?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))}`,
  pins: (channelId: string) => `/v2/channels/${channelId}/pins`,
  post: (id: string) => `/v2/posts/${id}`,
  comments: (postId: string) => `/v2/posts/${postId}/comments`,
  channelFiles: (channel_id: string) => withQuery('/v2/files', toFilesQuery({ channel_id })),
}

/** A page of the files of a channel or a thread. */
export const toFilesQuery = <P extends object>(filter: P, after?: string) => ({ ...filter, ...(after && { after }) })

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
