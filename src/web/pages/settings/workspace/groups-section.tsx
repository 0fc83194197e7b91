import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { ApiError } from '../../../../client'
import type { Group } from '../../../../contract/groups'
import type { ChannelMentions } from '../../../../contract/workspace'
import { createGroup, deleteGroup, describeGroup, useGroups } from '../../../data/groups'
import { useMe, usePermissions } from '../../../data/me'
import { setChannelMentions } from '../../../data/workspace'
import { Button } from '../../../parts/button'
import { Check } from '../../../parts/check'
import { useConfirm } from '../../../parts/dialog'
import { Field, getFieldError } from '../../../parts/field'
import { FormDialog } from '../../../parts/form-dialog'
import { formatCount } from '../../../parts/format-count'
import { Menu } from '../../../parts/menu'
import { notifyProblem } from '../../../parts/notices'
import { Empty, ProblemNote } from '../../../parts/states'
import { paths } from '../../../paths'
import { RowSkeleton } from '../parts'

/** The groups of people, which admins manage and everyone can mention; and who may mention whole channels. */
export function GroupsSection() {
  const groups = useGroups()
  return (
    <>
      {groups.error && !groups.data ? (
        <ProblemNote error={groups.error} retry={() => void groups.refetch()} />
      ) : groups.data ? (
        <GroupList groups={groups.data} />
      ) : (
        <RowSkeleton what="groups" />
      )}
      <WholeChannels />
    </>
  )
}

function GroupList({ groups }: { groups: Group[] }) {
  const [isCreating, setCreating] = useState(false)
  const [edited, setEdited] = useState<Group>()
  const { isAdmin } = usePermissions()
  const [question, ask] = useConfirm()
  const [, navigate] = useLocation()
  const newGroup = (
    <Button icon="plus" onClick={() => setCreating(true)}>
      New group
    </Button>
  )
  return (
    <>
      <div className="settings-intro">
        <p className="meta">
          Mention a group, such as @design, to notify everyone in it who can see what you write. A group gives access to
          nothing.
        </p>
        {isAdmin && groups.length > 0 && newGroup}
      </div>
      {groups.length === 0 ? (
        <Empty title="No groups yet" action={isAdmin ? newGroup : undefined}>
          {isAdmin ? 'Make one for people who are often mentioned together.' : 'Admins can make groups of people.'}
        </Empty>
      ) : (
        <ul className="rows" aria-label="Groups">
          {groups.map((group) => (
            <li key={group.id} className="rows-item">
              <div>
                <p className="rows-name">
                  <Link href={paths.group(group.id)}>@{group.name}</Link>
                </p>
                <p className="meta">
                  {[formatCount(group.members_count, 'member'), group.description].filter(Boolean).join(' · ')}
                </p>
              </div>
              {isAdmin && (
                <Menu
                  label={`Manage @${group.name}`}
                  entries={[
                    { label: 'Members', icon: 'people', run: () => navigate(paths.group(group.id)) },
                    { label: 'Rename or describe', icon: 'edit', run: () => setEdited(group) },
                    { label: 'Delete group', icon: 'trash', isDanger: true, run: () => ask(deletionOf(group)) },
                  ]}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      {isCreating && <GroupForm close={() => setCreating(false)} />}
      {edited && <GroupForm group={edited} close={() => setEdited(undefined)} />}
      {question}
    </>
  )
}

/** What is asked before a group is deleted. */
export const deletionOf = (group: Group, after?: () => void) => ({
  title: `Delete @${group.name}?`,
  text: 'What mentions it stays as it is, and nobody is notified by it any more. Its members lose no access. This cannot be undone.',
  label: 'Delete group',
  run: () => {
    after?.()
    void deleteGroup(group)
  },
})

/** Makes a group, or renames and describes one. */
export function GroupForm({ group, close }: { group?: Group; close(): void }) {
  const [, navigate] = useLocation()
  const save = useMutation({
    mutationFn: async (given: { name: string; description: string }) => {
      if (group) await describeGroup(group, given)
      else navigate(paths.group((await createGroup(given)).id))
    },
    onSuccess: close,
  })
  const isTaken = save.error instanceof ApiError && save.error.code === 'name_taken'
  const nameError = isTaken ? (save.error as ApiError).detail : getFieldError(save.error, 'name')
  const descriptionError = getFieldError(save.error, 'description')
  return (
    <FormDialog
      title={group ? `Rename or describe @${group.name}` : 'New group'}
      label={group ? 'Save' : 'Create group'}
      close={close}
      send={(form) =>
        save.mutate({ name: String(form.get('name')).trim(), description: String(form.get('description')) })
      }
      isPending={save.isPending}
      error={nameError || descriptionError ? undefined : save.error}
    >
      <Field
        label="Name"
        name="name"
        defaultValue={group?.name}
        maxLength={40}
        required
        autoFocus
        autoComplete="off"
        hint="What people type after @: letters, digits, “-” and “_”."
        error={nameError}
      />
      <Field
        label="Description (optional)"
        name="description"
        defaultValue={group?.description}
        maxLength={200}
        autoComplete="off"
        error={descriptionError}
      />
    </FormDialog>
  )
}

const choices: { value: ChannelMentions; label: string }[] = [
  { value: 'members', label: 'Admins and members' },
  { value: 'admins', label: 'Only admins' },
]

/** Who may mention everyone in a channel. */
function WholeChannels() {
  const { channel_mentions } = useMe().workspace
  const { isAdmin } = usePermissions()
  const choose = (value: ChannelMentions) =>
    void setChannelMentions(value).catch((error) => notifyProblem("Couldn't save who may mention channels.", error))
  return (
    <section className="form" aria-labelledby="whole-channels">
      <h2 id="whole-channels">Mentions of whole channels</h2>
      <p className="meta">
        @channel notifies everyone who is in a channel, and @here those of them who are online.
        {!isAdmin && channel_mentions === 'members' && ' Admins and members can use them, 10 times an hour.'}
        {!isAdmin && channel_mentions === 'admins' && ' Only admins can use them.'}
      </p>
      {isAdmin && (
        <fieldset className="choices">
          <legend>Who may use them</legend>
          {choices.map(({ value, label }) => (
            <Check
              key={value}
              type="radio"
              name="channel-mentions"
              label={label}
              checked={channel_mentions === value}
              onChange={() => choose(value)}
            />
          ))}
          <p className="meta">Each person can do so 10 times an hour. Guests and incoming webhooks never can.</p>
        </fieldset>
      )}
    </section>
  )
}
