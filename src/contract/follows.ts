import Type, { type Static } from 'typebox'
import { operation } from './operation'
import { Body, Choice, Id, Shape } from './shapes'

/** What you hear of in your inbox: all activity, only where you are mentioned, or nothing. */
export const followLevels = ['all', 'mentions', 'none'] as const
export type FollowLevel = (typeof followLevels)[number]
export const FollowLevel = Choice(followLevels, {
  description: '`all` activity, only `mentions`, or `none`: muted.',
})

export const Follow = Shape('Follow', {
  subject_id: Id,
  level: FollowLevel,
  is_chosen: Type.Boolean({
    description:
      'You chose it. Otherwise it follows from what you did: `all` for what you wrote, commented on or were mentioned in, and for your threads; else `mentions`.',
  }),
})
export type Follow = Static<typeof Follow>

export const SubjectId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'A post (`post_…`), a thread (`thr_…`) or a channel (`chan_…`).',
})

export const follows = {
  get: operation({
    method: 'GET',
    path: '/v2/follows/:subject_id',
    depends: 'personal',
    summary: 'Get how you follow a post, a thread or a channel.',
    description: 'The level is the one you chose, or else it follows from what you did there.',
    access: 'read',
    params: Type.Object({ subject_id: SubjectId }),
    output: Follow,
    errors: ['not_found', 'forbidden'],
  }),
  set: operation({
    method: 'PUT',
    path: '/v2/follows/:subject_id',
    effect: 'personal',
    summary: 'Follow, unfollow or mute a post, a thread or a channel.',
    description:
      'Following a channel adds its new posts and what happens to them to your inbox. What you choose for a post counts more than what you chose for its channel.',
    access: 'read',
    tokenScope: 'write',
    params: Type.Object({ subject_id: SubjectId }),
    body: Body({ level: FollowLevel }),
    output: Follow,
    errors: ['not_found', 'forbidden'],
  }),
  reset: operation({
    method: 'DELETE',
    path: '/v2/follows/:subject_id',
    effect: 'personal',
    summary: 'Reset how you follow a post, a thread or a channel.',
    description: 'Forgets the level you chose, and returns the one that applies now.',
    access: 'read',
    tokenScope: 'write',
    params: Type.Object({ subject_id: SubjectId }),
    output: Follow,
    errors: ['not_found', 'forbidden'],
  }),
}
