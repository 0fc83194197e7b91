import type { WriteContext } from '../actions/context'
import { timestamp } from '../domain/timestamps'
import type { Parley } from '../gate/parley'
import { changeWorkspace } from '../gate/write'
import { operatorOf } from '../setup/operator'
import { scheduleNotifications } from '../store/notifications'
import {
  addReminderEntry,
  clearReminder,
  type DueReminder,
  findDueWorkspace,
  listDueReminders,
} from '../store/reminders'

const TICK_MS = 1_000
/** Each transaction does at most so many. */
const MAX_REMINDERS = 100

export interface Reminders {
  /** Does what is due. Resolves when nothing more is. */
  tick(): Promise<void>
  close(): Promise<void>
}

/** Puts saved posts into inboxes when their members want to be reminded of them. Any number of processes may do so. */
export function startReminders(parley: Parley): Reminders {
  const { engine, clock, log } = parley
  let isClosed = false
  let running: Promise<void> | undefined
  const timer = setInterval(() => void tick(), TICK_MS)
  timer.unref()
  return {
    tick,
    async close() {
      isClosed = true
      clearInterval(timer)
      await running
    },
  }

  function tick(): Promise<void> {
    if (isClosed) return Promise.resolve()
    running ??= run().finally(() => {
      running = undefined
    })
    return running
  }

  async function run() {
    try {
      while (!isClosed) {
        const workspaceKey = await engine.read((db) => findDueWorkspace(db, clock()))
        if (workspaceKey === undefined) return
        await remind(parley, workspaceKey)
      }
    } catch (error) {
      log.warn('Could not remind members of posts; will retry', { error: String(error) })
    }
  }
}

/**
 * Does the next reminders of a workspace. They are found under the lock of the workspace, and cleared in the same transaction, so each
 * happens once, whichever process does it and whichever dies.
 */
async function remind(parley: Parley, workspaceKey: number) {
  const operator = operatorOf({ key: workspaceKey, id: '', slug: '', name: '' })
  await parley.engine.writeAlone((db) =>
    changeWorkspace(parley, db, operator, async (context) => {
      // Another process may have been faster.
      context.commitWithoutEvents()
      await context.firstRevision()
      const due = await listDueReminders(db, workspaceKey, context.now, MAX_REMINDERS)
      for (const reminder of due) await doReminder(context, reminder)
      const told = due.filter(({ is_visible }) => is_visible).map(({ author_key }) => author_key)
      await scheduleNotifications(db, workspaceKey, [...new Set(told)], context.now, { isUrgent: true })
    }),
  )
  parley.changes.notify(workspaceKey)
}

/** A reminder of what the member may no longer see is dropped. */
async function doReminder(context: WriteContext, reminder: DueReminder) {
  const { db, now, announce } = context
  const { author_key, post_id, saved_at } = reminder
  const recipients = [author_key]
  await clearReminder(db, reminder)
  if (reminder.is_visible) {
    // Entries of a member have different revisions: each has that of its own event.
    const revision = await context.nextRevision()
    const entry = { entryId: context.newId('inb'), revision, now }
    await addReminderEntry(db, context.viewer.workspace.key, reminder, entry)
    announce('inbox.updated', { subject_id: post_id }, { recipients })
  }
  announce('saved.updated', { post_id, saved_at: timestamp(saved_at), remind_at: null }, { recipients })
}
