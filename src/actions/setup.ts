import type { Input } from '../contract'
import { setupSteps } from '../contract/browser/constants'
import type { Setup, SetupStep } from '../contract/setup'
import { isPicture } from '../domain/avatar'
import { toAuthor } from '../domain/links'
import { opensFor } from '../domain/passwords'
import { findPassword } from '../store/accounts/passwords'
import { findSetup, setSetupDone } from '../store/people/setup'
import { requireAccount } from './access'
import type { ReadContext, WriteContext } from './context'

export async function getSetup(context: ReadContext, _: Input<'me.getSetup'>): Promise<Setup> {
  requireAccount(context.viewer)
  return toSetup(context)
}

export async function updateSetup(context: WriteContext, { done }: Input<'me.updateSetup'>): Promise<Setup> {
  const { db, viewer } = context
  requireAccount(viewer)
  const { setup_done } = await findSetup(db, viewer.author.key)
  const before = toSteps(setup_done)
  const after = setupSteps.filter((step) => before.includes(step) || done.includes(step))
  if (after.length === before.length) return toSetup(context)

  await setSetupDone(db, viewer.author.key, after.join())
  context.commitWithoutEvents()
  return toSetup(context)
}

async function toSetup({ db, viewer, links }: Pick<ReadContext, 'db' | 'viewer' | 'links'>): Promise<Setup> {
  const found = await findSetup(db, viewer.author.key)
  const isDone: Record<SetupStep, boolean> = {
    profile: isPicture(found.avatar) || found.job_title !== null,
    password: opensFor(await findPassword(db, viewer.author.key), viewer.author.key),
    time_zone: found.time_zone !== null,
    notifications: found.is_notifying_chosen,
  }
  const said = toSteps(found.setup_done)
  return {
    invited_by: found.inviter === null ? null : toAuthor(links, found.inviter),
    done: setupSteps.filter((step) => isDone[step] || said.includes(step)),
  }
}

const toSteps = (stored: string): SetupStep[] => setupSteps.filter((step) => stored.split(',').includes(step))
