import kafkajs, { type Admin } from 'kafkajs';
import { brokerErrorType, brokerUnavailable } from './broker-error.ts';

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;

/** Principals that an access list lets write to a topic; null: the cluster has no authorizer, and anybody may. */
export const writersOf = async (admin: Admin, topic: string): Promise<readonly string[] | null> => {
  try {
    const { resources } = await admin.describeAcls({
      resourceType: AclResourceTypes.TOPIC,
      resourceName: topic,
      // Whatever applies to the topic: by its name, by a prefix of it, or by `*`.
      resourcePatternType: ResourcePatternTypes.MATCH,
      operation: AclOperationTypes.ANY,
      permissionType: AclPermissionTypes.ALLOW,
    });
    const writers = resources.flatMap(({ acls }) =>
      acls
        .filter(({ operation }) => operation === AclOperationTypes.WRITE || operation === AclOperationTypes.ALL)
        .map(({ principal }) => principal),
    );
    return [...new Set(writers)].sort();
  } catch (cause) {
    if (brokerErrorType(cause) === 'SECURITY_DISABLED') return null;
    throw brokerUnavailable(`the access list of ${topic}`, cause);
  }
};
