import { operatorOf } from '../domain/permissions'
import { timestamp } from '../domain/timestamps'
import type { Parley } from '../gate/parley'
import { addReminderEntry } from '../store/attention/inbox'
import { scheduleNotifications } from '../store/attention/notices'
import { type ChangeContext, changeWorkspace } from '../store/changes/change'
import { clearReminder, type DueReminder, findDueWorkspace, listDueReminders } from '../store/content/saved'

/** The maximum number of reminders in a transaction. */
const MAX_REMINDERS = 100

export interface Reminders {
  /** Sends all reminders that are due. */
  tick(): Promise<void>
  close(): Promise<void>
}

/** Puts saved posts into inboxes when their reminders are due. Several processes can do this at the same time. */
export function startReminders(parley: Parley): Reminders {
  const { engine, clock, log } = parley
  let isClosed = false
  let running: Promise<void> | undefined
  return {
    tick,
    async close() {
      isClosed = true
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
        // If another process was faster, the next tick looks again.
        if ((await remind(parley, workspaceKey)) === 0) return
      }
    } catch (error) {
      log.warn('Could not remind members of posts; will retry', { error: String(error) })
    }
  }
}

/**
 * Sends the next reminders of a workspace. They are found while the workspace is locked, and cleared in the same transaction. So each
 * reminder is sent once, even if there are several processes or one of them is killed. Returns how many there were.
 */
async function remind(parley: Parley, workspaceKey: number): Promise<number> {
  const operator = operatorOf({ key: workspaceKey, id: '', slug: '', name: '' })
  const count = await parley.engine.writeAlone((db) =>
    changeWorkspace(parley, db, operator, async (context) => {
      // There may be nothing to do, because another process was faster.
      context.commitWithoutEvents()
      await context.firstRevision()
      const due = await listDueReminders(db, workspaceKey, context.now, MAX_REMINDERS)
      for (const reminder of due) await doReminder(context, reminder)
      const told = due.filter(({ is_visible }) => is_visible).map(({ author_key }) => author_key)
      const recipients = [...new Set(told)].map((author_key) => ({ author_key, isUrgent: true }))
      await scheduleNotifications(db, workspaceKey, recipients, context.now)
      return due.length
    }),
  )
  parley.changes.notify(workspaceKey)
  return count
}

/** If the member can no longer see the post, the reminder is only cleared. */
async function doReminder(context: ChangeContext, reminder: DueReminder) {
  const { db, now, announce } = context
  const { author_key, post_id, saved_at } = reminder
  const recipients = [author_key]
  await clearReminder(db, reminder)
  if (reminder.is_visible) {
    // Each entry of a member has its own revision, which is that of its event.
    const revision = await context.nextRevision()
    const entry = { entryId: context.newId('inb'), revision, now }
    await addReminderEntry(db, context.viewer.workspace.key, reminder, entry)
    announce('inbox.updated', { subject_id: post_id }, { recipients })
  }
  announce('saved.updated', { post_id, saved_at: timestamp(saved_at), remind_at: null }, { recipients })
}
