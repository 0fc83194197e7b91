/** The first posts of a new workspace. */
export const welcome = {
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
