/** What people say under a post, to each other, and in threads. `{topic}` is what the post is about. */
export const comments: readonly string[] = [
  'I can take the **{topic}**. Give me until tomorrow.',
  'We had the same last year. The cause was a setting that nobody remembers making; look at the defaults first.',
  'Agreed. Let us keep it small.',
  'Not sure. What happens to those who use the {topic} every day?',
  'The short answer is yes, the long one is in [the handbook](https://handbook.example.com/answers).',
  'I tried it on my machine and it works with these two lines:\n\n```ts\nconst page = await parley.posts.list({ limit: 50 })\nconsole.log(page.total_count)\n```',
  'Two thoughts:\n\n- it should say so in the first sentence\n- the date should be a date, not “soon”',
  'I asked the people who made it. It was meant for ten records, not ten thousand, so `limit` was never an issue.',
  'Good idea! I would only change the name.',
  'For the record: we decided the opposite in spring, for reasons that no longer hold.',
  'Let me check with the support team and come back to you.',
  'This also touches the {topic} on mobile, where there is *much* less room.',
  'Fixed on the test system. Could someone who saw it before have a look?',
  'I would rather wait a week and have the numbers.',
  'Done, and documented.',
  'Yes please. It would save me an hour every Monday.',
]

export const replies: readonly string[] = [
  'Thank you, that was it.',
  'Looks right to me.',
  'Could you say a little more about the second point?',
  'I had missed that, sorry.',
  'Works here as well.',
  'Then let us do it that way.',
  '+1, and I can help on Thursday.',
  'I do not think so: the {topic} had that before, and we took it out.',
  'Good catch. I changed the text.',
  '> What happens to those who use it every day?\n\nNothing changes for them.',
  'No hurry, it can wait until after the release.',
]

export const resolutionNotes: readonly string[] = [
  'Done: the **{topic}** has an owner, and the handbook says who it is.',
  'We went with the small version. It can be undone.',
  'Fixed and released; the cause was the default, as suspected.',
  'Answered in the comments. The short version: *yes, from next month*.',
  'Closed without a change. If it comes back, open it again with an example.',
  'Decided: we repair it. The plan:\n\n1. this week the cause\n2. next week the text\n3. then we look again',
]

export const threadTitles: readonly string[] = [
  'Preparing the {topic}',
  'Quick round on the {topic}',
  'Offer for the {topic}',
  'Before we announce the {topic}',
  'Cover for the {topic} in August',
]

export const messages: readonly string[] = [
  'Hello! Do you have a minute for the {topic}?',
  'Sure, what is it about?',
  'I have put a first version into the folder. It is **rough**, please be kind.',
  'Read it. The middle part is strong, the beginning needs one sentence less.',
  'Can we move our meeting to the afternoon?',
  'Afternoon is fine for me.',
  'I am on the train, the line is bad. I will write.',
  'Here is the list so far:\n\n- invite the others\n- book the room\n- order something to eat',
  'The room is booked.',
  'Who tells the rest of the team?',
  'I will, after lunch.',
  'One thing: the {topic} must not be public before Tuesday.',
  'Understood.',
  'That link does not work for me: `https://files.example.com/draft`. Could you share it again?',
  'Now it should.',
  'Yes, thank you!',
  'Let us wait for the numbers before we promise anything.',
  'They look better than last month, I must say.',
  'Great work, everyone.',
]
