import Type, { type Static } from 'typebox'
import { setupSteps } from './browser/constants'
import { operation } from './operation'
import { Author, Body, Choice, Nullable, Shape } from './shapes'

export type SetupStep = (typeof setupSteps)[number]

const Steps = Type.Array(Choice(setupSteps), { maxItems: setupSteps.length, uniqueItems: true })

export const Setup = Shape('Setup', {
  invited_by: Nullable(Author, 'Who invited you; null if it was whoever operates the server.'),
  done: Steps,
})
export type Setup = Static<typeof Setup>

/** Operations of `me` about the first steps in a workspace. */
export const setup = {
  getSetup: operation({
    method: 'GET',
    path: '/v2/me/setup',
    depends: 'nothing',
    summary: 'Get which first steps you have done in this workspace.',
    description:
      'The web app shows them until all are done. A step is done once there is something: a picture or a job title, a password, a time zone, settings of notifications; or once you said so. Apps have none.',
    access: 'read',
    output: Setup,
    errors: ['forbidden'],
  }),
  updateSetup: operation({
    method: 'PATCH',
    path: '/v2/me/setup',
    summary: 'Mark first steps as done.',
    description: 'Steps that are done stay so. Nobody else sees it, and it causes no event.',
    access: 'read',
    tokenScope: 'write',
    body: Body({ done: Steps }),
    output: Setup,
    errors: ['forbidden'],
  }),
}
