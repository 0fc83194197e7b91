/** The parameters of paths, by what stands before them. */
export const pathParameters: Record<string, string> = {
  posts: 'The id of the post, as in `post_…`.',
  comments: 'The id of the comment, as in `cmt_…`.',
  channels: 'The id of the channel, as in `chan_…`.',
  threads: 'The id of the thread, as in `thr_…`.',
  messages: 'The id of the message, as in `msg_…`.',
  members: 'The id of the member, as in `mem_…`.',
  'channels/members': 'The id of the member or app, as in `mem_…` or `app_…`.',
  'threads/members': 'The id of the member or app, as in `mem_…` or `app_…`.',
  sessions: 'The id of the session, as in `ses_…`.',
  'sign-in-links': 'The id of the sign-in link, as in `link_…`.',
  tokens: 'The id of the token, as in `tok_…`. It is not the token itself.',
  apps: 'The id of the app, as in `app_…`.',
  inbox: 'The id of the entry, as in `inb_…`.',
  webhooks: 'The id of the webhook, as in `wh_…`.',
  deliveries: 'The id of the delivery, as in `dlv_…`.',
  hooks: 'The id of the incoming webhook, as in `hook_…`.',
}
