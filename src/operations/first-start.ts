import { issueSignInLink } from '../accounts/links'
import * as apps from '../actions/apps'
import * as channels from '../actions/channels'
import * as comments from '../actions/comments'
import type { WriteContext } from '../actions/context'
import * as members from '../actions/members'
import * as posts from '../actions/posts'
import * as reactions from '../actions/reactions'
import { issueToken } from '../actions/tokens'
import { findNameProblem } from '../domain/names'
import { operatorOf, type Viewer } from '../domain/permissions'
import { StartError } from '../domain/start-error'
import { timestamp } from '../domain/timestamps'
import type { Parley } from '../gate/parley'
import { withWriteContext } from '../gate/write'
import { findAuthor } from '../store/people/authors'
import { insertWorkspace, listWorkspaces } from '../store/people/workspaces'

export interface FirstStart {
  signInLink: string
  token: string
  tokenExpiresAt: string
}

/** The token is printed, and may stay in log files: it should not be valid for long. */
const TOKEN_MS = 7 * 24 * 60 * 60 * 1000

/** Creates the first workspace if there is none: an admin, a channel, welcome posts, a sign-in link and a token. */
export async function firstStart(
  parley: Parley,
  settings: { workspaceName: string; adminEmail: string },
): Promise<FirstStart | undefined> {
  const existing = await parley.engine.read((db) => listWorkspaces(db))
  if (existing.length > 0) return undefined
  const wrong = findNameProblem(settings.workspaceName)
  if (wrong) throw new StartError(`WORKSPACE_NAME: ${wrong}`)
  return parley.engine.migrate(async (db) => {
    if ((await listWorkspaces(db)).length > 0) return undefined
    const now = parley.clock()
    const workspace = await insertWorkspace(db, {
      id: parley.newId('ws', now),
      slug: 'home',
      name: settings.workspaceName,
      created_at: now,
    })
    // The admin gets the link from the log, not by mail.
    const withoutMail = { ...parley, isMailConfigured: false }
    return withWriteContext(withoutMail, db, operatorOf(workspace), async (context) => {
      context.announce('workspace.created', { id: workspace.id, name: workspace.name })
      const admin = await members.create(context, { email: settings.adminEmail, display_name: 'Admin', role: 'admin' })
      const asAdmin = await actingAs(context, admin.id, 'member')
      await createWelcomePosts(asAdmin)
      const tokenExpiresAt = timestamp(context.now + TOKEN_MS)
      const { token } = await issueToken(asAdmin, asAdmin.viewer.author, {
        scopes: ['admin'],
        name: 'First start',
        expires_at: tokenExpiresAt,
      })
      return {
        token,
        tokenExpiresAt,
        signInLink: (await issueSignInLink(asAdmin, admin)).url,
      }
    })
  })
}

async function createWelcomePosts(admin: WriteContext) {
  const general = await channels.create(admin, { name: 'general', default: true })
  const app = await apps.create(admin, { name: 'Parley' })
  const parley = await actingAs(admin, app.id, 'app')

  const hello = await posts.create(parley, { channel_id: general.id, ...welcome.hello })
  await reactions.add(parley, { subject_id: hello.id, emoji: '👋' })
  const question = await posts.create(parley, { channel_id: general.id, ...welcome.question })
  const answer = await comments.create(parley, { post_id: question.id, content_markdown: welcome.answer })
  await posts.resolve(parley, { post_id: question.id, comment_id: answer.id })
}

/** The same transaction, acting as a member or app of the workspace. */
async function actingAs(context: WriteContext, id: string, type: Viewer['author']['type']): Promise<WriteContext> {
  const author = (await findAuthor(context.db, context.viewer, id))!
  const viewer: Viewer = {
    ...context.viewer,
    author: { key: author.key, id, type, name: author.name, stored: author.stored },
    role: type === 'member' ? 'admin' : null,
  }
  return { ...context, viewer }
}

/** The first posts of a new workspace. */
const welcome = {
  hello: {
    title: 'Welcome to Parley',
    content_markdown: `This is a **post**. Posts go into channels, such as this one, and read like documents: with a title,
[Markdown](https://commonmark.org/help/), lists, tables, code, pictures and files. Things to try:

- [ ] Comment on a post, reply to a comment, or just react with an emoji.
- [ ] **Resolve** a post when it is answered: with a note, or by picking the comment that answers it.
- [ ] Start a **thread** for conversations that are not for everyone.
- [ ] Check this off: a checklist works in posts and comments.

Everything here is also available through the API; see the reference at \`/docs\` on this server.`,
  },
  question: {
    title: 'How do I write something from a script?',
    content_markdown: 'I would like our build to post here when it is done. Where do I start?',
  },
  answer: `Create an app and a token for it, then send one request:

\`\`\`sh
curl "$PARLEY_URL/v2/posts" -H "Authorization: Bearer $PARLEY_TOKEN" -H "Content-Type: application/json" \\
  -d '{ "channel_id": "chan_…", "content_markdown": "The build is done." }'
\`\`\`

\`parley token create --app Build --scopes write\` prints such a token.`,
}
