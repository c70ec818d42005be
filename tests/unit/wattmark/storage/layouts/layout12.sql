PRAGMA application_id=1465142603;
BEGIN TRANSACTION;
CREATE TABLE access_token(
      name TEXT PRIMARY KEY, role TEXT NOT NULL, digest TEXT NOT NULL UNIQUE, created_ns INTEGER NOT NULL,
      used_ns INTEGER, revoked_ns INTEGER
    ) STRICT, WITHOUT ROWID;
INSERT INTO "access_token" VALUES('laptop','viewer','dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd',7,NULL,NULL);
CREATE TABLE alarm(
      number INTEGER PRIMARY KEY, source TEXT NOT NULL, channel TEXT NOT NULL, side TEXT NOT NULL,
      limit_at REAL NOT NULL, unit TEXT NOT NULL, run_must_keep INTEGER NOT NULL,
      begin_ns INTEGER NOT NULL, seen_ns INTEGER NOT NULL, worst REAL NOT NULL,
      end_ns INTEGER, ended TEXT, closed_ns INTEGER
    ) STRICT;
INSERT INTO "alarm" VALUES(1,'wall','power','high',300.0,'W',1,1700000000000000000,1700000001000000000,310.5,1700000002000000000,'back',NULL);
CREATE TABLE audit(
      number INTEGER PRIMARY KEY, at_ns INTEGER NOT NULL, who TEXT NOT NULL, role TEXT NOT NULL, address TEXT NOT NULL,
      action TEXT NOT NULL, target TEXT NOT NULL, status INTEGER NOT NULL, request_id TEXT NOT NULL,
      before TEXT NOT NULL, hash TEXT NOT NULL UNIQUE
    ) STRICT;
INSERT INTO "audit" VALUES(1,8,'x','x','x','x','x',200,'x','0000000000000000000000000000000000000000000000000000000000000000','a3a031f3e16c870cb67183d416a51cf553e5b44de109369ec150d4f871f5efb1');
CREATE TABLE certificate(
      revision INTEGER PRIMARY KEY, certificate_id TEXT NOT NULL, version INTEGER NOT NULL,
      accepted_ns INTEGER NOT NULL, reason TEXT NOT NULL, document TEXT NOT NULL, sha256 TEXT NOT NULL,
      file_sha256 TEXT NOT NULL REFERENCES certificate_file(sha256),
      UNIQUE(certificate_id, version)
    ) STRICT;
CREATE TABLE certificate_file(sha256 TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE certificate_override(
      revision INTEGER PRIMARY KEY, decided_ns INTEGER NOT NULL, certificate_id TEXT NOT NULL,
      signed_by TEXT NOT NULL, reason TEXT NOT NULL, accepts TEXT NOT NULL, run_id TEXT, serial TEXT
    ) STRICT;
INSERT INTO "certificate_override" VALUES(1,5,'cert','ab','why','["age"]',NULL,'s');
CREATE TABLE check_load(
      name TEXT PRIMARY KEY, meter TEXT NOT NULL, nominal_w REAL NOT NULL, target_w REAL,
      description TEXT NOT NULL, added_ns INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
INSERT INTO "check_load" VALUES('lamp','wall',60.0,60.5,'ü',1);
CREATE TABLE check_reading(
      check_load TEXT NOT NULL REFERENCES check_load(name), at_ns INTEGER NOT NULL,
      power_w REAL NOT NULL, sd_w REAL, n INTEGER, range TEXT, operator TEXT NOT NULL, note TEXT NOT NULL,
      by_hand INTEGER NOT NULL, simulated INTEGER NOT NULL, begins_baseline INTEGER NOT NULL,
      PRIMARY KEY(check_load, at_ns)
    ) STRICT, WITHOUT ROWID;
INSERT INTO "check_reading" VALUES('lamp',2,60.0,0.1,3,NULL,'ab','',1,0,0);
CREATE TABLE chunk(
      series_id INTEGER NOT NULL REFERENCES series(id), k INTEGER NOT NULL,
      n INTEGER NOT NULL, n_usable INTEGER NOT NULL, t0 INTEGER NOT NULL, t1 INTEGER NOT NULL,
      vmin REAL, vmax REAL, vsum REAL NOT NULL, crc INTEGER NOT NULL,
      PRIMARY KEY(series_id, k)
    ) STRICT, WITHOUT ROWID;
INSERT INTO "chunk" VALUES(1,0,90,90,0,89000000000,0.0,89.0,4005.0,3577884326);
CREATE TABLE chunk_data(
      id INTEGER PRIMARY KEY, codec INTEGER NOT NULL,
      t BLOB NOT NULL, v BLOB NOT NULL, quality BLOB, u_t BLOB, crc INTEGER NOT NULL
    ) STRICT;
INSERT INTO "chunk_data" VALUES(4294967296,0,X'000000000000000000CA9A3B000000000094357700000000005ED0B20000000000286BEE0000000000F2052A0100000000BCA0650100000000863BA1010000000050D6DC01000000001A71180200000000E40B540200000000AEA68F02000000007841CB020000000042DC0603000000000C77420300000000D6117E0300000000A0ACB903000000006A47F5030000000034E2300400000000FE7C6C0400000000C817A8040000000092B2E304000000005C4D1F050000000026E85A0500000000F082960500000000BA1DD2050000000084B80D06000000004E5349060000000018EE840600000000E288C00600000000AC23FC060000000076BE37070000000040597307000000000AF4AE0700000000D48EEA07000000009E2926080000000068C4610800000000325F9D0800000000FCF9D80800000000C694140900000000902F5009000000005ACA8B09000000002465C70900000000EEFF020A00000000B89A3E0A0000000082357A0A000000004CD0B50A00000000166BF10A00000000E0052D0B00000000AAA0680B00000000743BA40B000000003ED6DF0B0000000008711B0C00000000D20B570C000000009CA6920C000000006641CE0C0000000030DC090D00000000FA76450D00000000C411810D000000008EACBC0D000000005847F80D0000000022E2330E00000000EC7C6F0E00000000B617AB0E0000000080B2E60E000000004A4D220F0000000014E85D0F00000000DE82990F00000000A81DD50F0000000072B81010000000003C534C100000000006EE871000000000D088C310000000009A23FF100000000064BE3A11000000002E59761100000000F8F3B11100000000C28EED11000000008C2929120000000056C4641200000000205FA01200000000EAF9DB1200000000B4941713000000007E2F53130000000048CA8E13000000001265CA1300000000DCFF051400000000A69A41140000000070357D14000000003AD0B814000000',X'0000000000000000000000000000F03F000000000000004000000000000008400000000000001040000000000000144000000000000018400000000000001C40000000000000204000000000000022400000000000002440000000000000264000000000000028400000000000002A400000000000002C400000000000002E4000000000000030400000000000003140000000000000324000000000000033400000000000003440000000000000354000000000000036400000000000003740000000000000384000000000000039400000000000003A400000000000003B400000000000003C400000000000003D400000000000003E400000000000003F40000000000000404000000000008040400000000000004140000000000080414000000000000042400000000000804240000000000000434000000000008043400000000000004440000000000080444000000000000045400000000000804540000000000000464000000000008046400000000000004740000000000080474000000000000048400000000000804840000000000000494000000000008049400000000000004A400000000000804A400000000000004B400000000000804B400000000000004C400000000000804C400000000000004D400000000000804D400000000000004E400000000000804E400000000000004F400000000000804F400000000000005040000000000040504000000000008050400000000000C050400000000000005140000000000040514000000000008051400000000000C051400000000000005240000000000040524000000000008052400000000000C052400000000000005340000000000040534000000000008053400000000000C053400000000000005440000000000040544000000000008054400000000000C054400000000000005540000000000040554000000000008055400000000000C0554000000000000056400000000000405640',NULL,NULL,1328550422);
CREATE TABLE document(
      kind TEXT NOT NULL, name TEXT NOT NULL, document TEXT NOT NULL,
      PRIMARY KEY(kind, name)
    ) STRICT, WITHOUT ROWID;
INSERT INTO "document" VALUES('campaign','c1','{"n": 1, "ü": null}');
CREATE TABLE migration(version INTEGER PRIMARY KEY, applied TEXT NOT NULL) STRICT;
INSERT INTO "migration" VALUES(1,'2026-11-22T17:46:40Z');
INSERT INTO "migration" VALUES(2,'2026-11-22T17:46:40Z');
INSERT INTO "migration" VALUES(3,'2026-11-22T17:46:40Z');
INSERT INTO "migration" VALUES(4,'2026-11-22T17:46:40Z');
INSERT INTO "migration" VALUES(5,'2026-11-22T17:46:40Z');
INSERT INTO "migration" VALUES(6,'2026-11-22T17:46:40Z');
INSERT INTO "migration" VALUES(7,'2026-11-22T17:46:40Z');
INSERT INTO "migration" VALUES(8,'2026-11-22T17:46:40Z');
INSERT INTO "migration" VALUES(9,'2026-11-22T17:46:40Z');
INSERT INTO "migration" VALUES(10,'2026-11-22T17:46:40Z');
INSERT INTO "migration" VALUES(11,'2026-11-22T20:15:33Z');
INSERT INTO "migration" VALUES(12,'2026-11-23T07:00:00Z');
CREATE TABLE refused_point(
      id INTEGER PRIMARY KEY, sink_id INTEGER NOT NULL REFERENCES sink(id), at_ns INTEGER NOT NULL,
      line TEXT NOT NULL, reason TEXT NOT NULL
    ) STRICT;
CREATE TABLE revision(number INTEGER NOT NULL) STRICT;
INSERT INTO "revision" VALUES(6);
CREATE TABLE row_crc(
      owner TEXT NOT NULL, key TEXT NOT NULL, crc INTEGER NOT NULL, PRIMARY KEY(owner, key)
    ) STRICT, WITHOUT ROWID;
INSERT INTO "row_crc" VALUES('access_token','["laptop"]',2108589569);
INSERT INTO "row_crc" VALUES('alarm','[1]',2073962334);
INSERT INTO "row_crc" VALUES('certificate_override','[1]',3940317747);
INSERT INTO "row_crc" VALUES('check_load','["lamp"]',281714870);
INSERT INTO "row_crc" VALUES('check_reading','["lamp",2]',1822659643);
INSERT INTO "row_crc" VALUES('document','["campaign","c1"]',651603115);
INSERT INTO "row_crc" VALUES('run','["r1"]',1618977058);
INSERT INTO "row_crc" VALUES('run','["r2"]',442436177);
INSERT INTO "row_crc" VALUES('run_note','["r1"]',3890824784);
INSERT INTO "row_crc" VALUES('run_tag','["r1","good"]',1845064387);
INSERT INTO "row_crc" VALUES('sink','[1]',3952322648);
INSERT INTO "row_crc" VALUES('statement','["gone",1]',1302759951);
INSERT INTO "row_crc" VALUES('statement_result','["gone",1]',679183772);
INSERT INTO "row_crc" VALUES('trash','["r2"]',3409585052);
INSERT INTO "row_crc" VALUES('unsent','[1,1]',898665090);
INSERT INTO "row_crc" VALUES('unsent_run','[1,"r1"]',1695023033);
INSERT INTO "row_crc" VALUES('unsent_run','[1,"r2"]',1732329952);
CREATE TABLE run(
      run_id TEXT PRIMARY KEY, created_ns INTEGER NOT NULL, campaign_id TEXT,
      server TEXT NOT NULL, configuration TEXT NOT NULL, workload TEXT NOT NULL, status TEXT NOT NULL,
      record TEXT NOT NULL
    ) STRICT;
INSERT INTO "run" VALUES('r1',1700000000000000000,NULL,'s1','c1','rsa','complete','{"run_id": "r1", "campaign_id": null, "plan": null, "order": 0, "server": "s1", "configuration": "c1", "workload": "rsa", "level": "1 process", "repeat": 1, "attempt": 1, "status": "complete", "reason": null, "created_ns": 1700000000000000000, "source": "measured", "unit": "signs", "phases": [], "throughput": [], "response_times": [], "stated_throughput": null, "stated_energy_operations": null, "window_begin_ns": null, "window_end_ns": null, "meters": [], "full_load_limit_pct": 95.0, "configuration_snapshot": {}, "disclosure": {}}');
INSERT INTO "run" VALUES('r2',1700000000000000000,NULL,'s1','c1','rsa','complete','{"run_id": "r2", "campaign_id": null, "plan": null, "order": 0, "server": "s1", "configuration": "c1", "workload": "rsa", "level": "1 process", "repeat": 1, "attempt": 1, "status": "complete", "reason": null, "created_ns": 1700000000000000000, "source": "measured", "unit": "signs", "phases": [], "throughput": [], "response_times": [], "stated_throughput": null, "stated_energy_operations": null, "window_begin_ns": null, "window_end_ns": null, "meters": [], "full_load_limit_pct": 95.0, "configuration_snapshot": {}, "disclosure": {}}');
CREATE TABLE run_note(run_id TEXT PRIMARY KEY, note TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "run_note" VALUES('r1','fan replaced');
CREATE TABLE run_row(run_id TEXT PRIMARY KEY, row TEXT NOT NULL, crc INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE run_tag(run_id TEXT NOT NULL, tag TEXT NOT NULL, PRIMARY KEY(run_id, tag)) STRICT, WITHOUT ROWID;
INSERT INTO "run_tag" VALUES('r1','good');
CREATE TABLE sent_live(
      sink_id INTEGER NOT NULL REFERENCES sink(id), run_id TEXT NOT NULL, tail_id INTEGER NOT NULL,
      PRIMARY KEY(sink_id, run_id)
    ) STRICT, WITHOUT ROWID;
CREATE TABLE series(
      id INTEGER PRIMARY KEY,
      run_id TEXT NOT NULL, server TEXT NOT NULL, source TEXT NOT NULL, channel TEXT NOT NULL,
      quantity TEXT NOT NULL, unit TEXT NOT NULL, kind TEXT NOT NULL, range TEXT NOT NULL,
      label TEXT NOT NULL, simulated INTEGER NOT NULL,
      UNIQUE(run_id, server, source, channel, quantity, unit, kind, range, label, simulated)
    ) STRICT;
INSERT INTO "series" VALUES(1,'r1','s1','wall','power','power','W','averaged','','',0);
INSERT INTO "series" VALUES(2,'r1','s1','wall','voltage','voltage','V','averaged','','',0);
CREATE TABLE series_count(run_id TEXT PRIMARY KEY, n INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "series_count" VALUES('r1',2);
CREATE TABLE sink(
      id INTEGER PRIMARY KEY, target TEXT NOT NULL UNIQUE, acknowledged INTEGER NOT NULL DEFAULT 0,
      acknowledged_ns INTEGER, refused INTEGER NOT NULL DEFAULT 0,
      problem TEXT, remedy TEXT, problem_ns INTEGER
    ) STRICT;
INSERT INTO "sink" VALUES(1,'http://influx/lab',0,NULL,0,NULL,NULL,NULL);
CREATE TABLE statement(
      run_id TEXT NOT NULL, version INTEGER NOT NULL, stated_ns INTEGER NOT NULL, shelf_revision INTEGER NOT NULL,
      as_found TEXT, signed_by TEXT, reason TEXT NOT NULL, software TEXT NOT NULL, result TEXT NOT NULL,
      PRIMARY KEY(run_id, version)
    ) STRICT, WITHOUT ROWID;
INSERT INTO "statement" VALUES('gone',1,5,1,NULL,'ab','why','wattmark','{}');
CREATE TABLE tail(
      id INTEGER PRIMARY KEY, run_id TEXT NOT NULL,
      t0 INTEGER NOT NULL, t1 INTEGER NOT NULL, n INTEGER NOT NULL, head_crc INTEGER NOT NULL,
      blob BLOB NOT NULL, crc INTEGER NOT NULL
    ) STRICT;
INSERT INTO "tail" VALUES(1,'r1',7,92000000000,4,945472793,X'0200000001000000000000000200000000000000030000000100000000046BF41400000000CE0530150000000098A06B15000000070000000000000000000000008056400000000000C0564000000000000057400000000000D06C4000000100000000000000003F000000000000000000000000',3535392502);
INSERT INTO "tail" VALUES(2,'r1',8,99000000000,9,1930862521,X'020000000200000000000000010000000000000002000000070000000800000000000000090000000000000000623BA715000000002CD6E21500000000F6701E1600000000C00B5A16000000008AA69516000000005441D116000000001EDC0C170000000000000000F06C400000000000106D40000000000040574000000000008057400000000000C057400000000000005840000000000040584000000000008058400000000000C058400000000000000000000000000000000000000000803E0000803E00000000000000000000000000000000000000000000000000000000',774046547);
CREATE TABLE trash(run_id TEXT PRIMARY KEY, trashed_ns INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "trash" VALUES('r2',6);
CREATE TABLE unsent(
      sink_id INTEGER NOT NULL REFERENCES sink(id), series_id INTEGER NOT NULL,
      first INTEGER NOT NULL, sealed INTEGER NOT NULL,
      PRIMARY KEY(sink_id, series_id)
    ) STRICT, WITHOUT ROWID;
INSERT INTO "unsent" VALUES(1,1,0,90);
CREATE TABLE unsent_run(
      sink_id INTEGER NOT NULL REFERENCES sink(id), run_id TEXT NOT NULL, edition INTEGER NOT NULL DEFAULT 1,
      PRIMARY KEY(sink_id, run_id)
    ) STRICT, WITHOUT ROWID;
INSERT INTO "unsent_run" VALUES(1,'r1',1);
INSERT INTO "unsent_run" VALUES(1,'r2',1);
CREATE INDEX tail_by_run ON tail(run_id);
CREATE INDEX run_by_age ON run(created_ns);
CREATE INDEX run_by_status ON run(status);
CREATE TRIGGER certificate_file_stays BEFORE UPDATE ON certificate_file
      BEGIN SELECT raise(ABORT, 'certificate files never change'); END;
CREATE TRIGGER certificate_stays BEFORE UPDATE ON certificate
      BEGIN SELECT raise(ABORT, 'certificates never change'); END;
CREATE TRIGGER certificate_kept BEFORE DELETE ON certificate
      BEGIN SELECT raise(ABORT, 'certificates are kept'); END;
CREATE TRIGGER override_stays BEFORE UPDATE ON certificate_override
      BEGIN SELECT raise(ABORT, 'overrides never change'); END;
CREATE TRIGGER override_kept BEFORE DELETE ON certificate_override
      BEGIN SELECT raise(ABORT, 'overrides are kept'); END;
CREATE TRIGGER statement_stays BEFORE UPDATE ON statement
      BEGIN SELECT raise(ABORT, 'stated results never change'); END;
CREATE INDEX unsent_by_series ON unsent(series_id);
CREATE TRIGGER series_leaves_sinks AFTER DELETE ON series BEGIN
      DELETE FROM unsent WHERE series_id = old.id;
      DELETE FROM sent_live WHERE run_id = old.run_id;
    END;
CREATE TRIGGER run_to_sinks AFTER INSERT ON run BEGIN
      INSERT INTO unsent_run(sink_id, run_id) SELECT id, new.run_id FROM sink WHERE true
        ON CONFLICT DO UPDATE SET edition = edition + 1;
    END;
CREATE TRIGGER statement_to_sinks AFTER INSERT ON statement BEGIN
      INSERT INTO unsent_run(sink_id, run_id) SELECT id, new.run_id FROM sink WHERE true
        ON CONFLICT DO UPDATE SET edition = edition + 1;
    END;
CREATE TRIGGER run_leaves_sinks AFTER DELETE ON run BEGIN
      DELETE FROM unsent_run WHERE run_id = old.run_id;
    END;
CREATE TRIGGER token_kept BEFORE DELETE ON access_token
      BEGIN SELECT raise(ABORT, 'tokens are revoked, never deleted'); END;
CREATE TRIGGER audit_stays BEFORE UPDATE ON audit
      BEGIN SELECT raise(ABORT, 'the audit log never changes'); END;
CREATE TRIGGER audit_kept BEFORE DELETE ON audit
      BEGIN SELECT raise(ABORT, 'the audit log is kept'); END;
CREATE TRIGGER run_insert_counts AFTER INSERT ON run BEGIN UPDATE revision SET number = number + 1; END;
CREATE TRIGGER run_update_counts AFTER UPDATE ON run BEGIN UPDATE revision SET number = number + 1; END;
CREATE TRIGGER run_delete_counts AFTER DELETE ON run BEGIN UPDATE revision SET number = number + 1; END;
CREATE TRIGGER trash_insert_counts AFTER INSERT ON trash BEGIN UPDATE revision SET number = number + 1; END;
CREATE TRIGGER trash_delete_counts AFTER DELETE ON trash BEGIN UPDATE revision SET number = number + 1; END;
CREATE TRIGGER statement_insert_counts AFTER INSERT ON statement BEGIN UPDATE revision SET number = number + 1; END;
CREATE TRIGGER statement_delete_counts AFTER DELETE ON statement BEGIN UPDATE revision SET number = number + 1; END;
CREATE TRIGGER document_insert_counts AFTER INSERT ON document BEGIN UPDATE revision SET number = number + 1; END;
CREATE TRIGGER document_update_counts AFTER UPDATE ON document BEGIN UPDATE revision SET number = number + 1; END;
CREATE TRIGGER document_delete_counts AFTER DELETE ON document BEGIN UPDATE revision SET number = number + 1; END;
CREATE TRIGGER certificate_counts AFTER INSERT ON certificate
      BEGIN UPDATE revision SET number = number + 1; END;
CREATE TRIGGER override_counts AFTER INSERT ON certificate_override
      BEGIN UPDATE revision SET number = number + 1; END;
CREATE TRIGGER series_comes AFTER INSERT ON series BEGIN
      INSERT INTO series_count VALUES (new.run_id, 1) ON CONFLICT DO UPDATE SET n = n + 1;
    END;
CREATE TRIGGER series_goes AFTER DELETE ON series BEGIN
      UPDATE series_count SET n = n - 1 WHERE run_id = old.run_id;
      DELETE FROM series_count WHERE run_id = old.run_id AND n = 0;
    END;
CREATE TRIGGER run_insert_drops_row AFTER INSERT ON run
      BEGIN DELETE FROM run_row WHERE run_id = new.run_id; END;
CREATE TRIGGER run_update_drops_row AFTER UPDATE ON run
      BEGIN DELETE FROM run_row WHERE run_id = new.run_id; END;
CREATE TRIGGER run_delete_drops_row AFTER DELETE ON run
      BEGIN DELETE FROM run_row WHERE run_id = old.run_id; END;
CREATE TRIGGER statement_insert_drops_row AFTER INSERT ON statement
      BEGIN DELETE FROM run_row WHERE run_id = new.run_id; END;
CREATE TRIGGER statement_delete_drops_row AFTER DELETE ON statement
      BEGIN DELETE FROM run_row WHERE run_id = old.run_id; END;
CREATE TRIGGER run_crc_comes AFTER INSERT ON run BEGIN
      INSERT INTO row_crc VALUES ('run', json_array(new.run_id), row_crc(new.run_id, new.created_ns, new.campaign_id, new.server, new.configuration, new.workload, new.status, new.record)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER run_crc_changes AFTER UPDATE ON run BEGIN
      DELETE FROM row_crc WHERE owner = 'run' AND key = json_array(old.run_id);
      INSERT INTO row_crc VALUES ('run', json_array(new.run_id), row_crc(new.run_id, new.created_ns, new.campaign_id, new.server, new.configuration, new.workload, new.status, new.record)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER run_crc_goes AFTER DELETE ON run BEGIN
      DELETE FROM row_crc WHERE owner = 'run' AND key = json_array(old.run_id);
    END;
CREATE TRIGGER document_crc_comes AFTER INSERT ON document BEGIN
      INSERT INTO row_crc VALUES ('document', json_array(new.kind, new.name), row_crc(new.kind, new.name, new.document)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER document_crc_changes AFTER UPDATE ON document BEGIN
      DELETE FROM row_crc WHERE owner = 'document' AND key = json_array(old.kind, old.name);
      INSERT INTO row_crc VALUES ('document', json_array(new.kind, new.name), row_crc(new.kind, new.name, new.document)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER document_crc_goes AFTER DELETE ON document BEGIN
      DELETE FROM row_crc WHERE owner = 'document' AND key = json_array(old.kind, old.name);
    END;
CREATE TRIGGER check_load_crc_comes AFTER INSERT ON check_load BEGIN
      INSERT INTO row_crc VALUES ('check_load', json_array(new.name), row_crc(new.name, new.meter, new.nominal_w, new.target_w, new.description, new.added_ns)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER check_load_crc_changes AFTER UPDATE ON check_load BEGIN
      DELETE FROM row_crc WHERE owner = 'check_load' AND key = json_array(old.name);
      INSERT INTO row_crc VALUES ('check_load', json_array(new.name), row_crc(new.name, new.meter, new.nominal_w, new.target_w, new.description, new.added_ns)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER check_load_crc_goes AFTER DELETE ON check_load BEGIN
      DELETE FROM row_crc WHERE owner = 'check_load' AND key = json_array(old.name);
    END;
CREATE TRIGGER check_reading_crc_comes AFTER INSERT ON check_reading BEGIN
      INSERT INTO row_crc VALUES ('check_reading', json_array(new.check_load, new.at_ns), row_crc(new.check_load, new.at_ns, new.power_w, new.sd_w, new.n, new.range, new.operator, new.note, new.by_hand, new.simulated, new.begins_baseline)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER check_reading_crc_changes AFTER UPDATE ON check_reading BEGIN
      DELETE FROM row_crc WHERE owner = 'check_reading' AND key = json_array(old.check_load, old.at_ns);
      INSERT INTO row_crc VALUES ('check_reading', json_array(new.check_load, new.at_ns), row_crc(new.check_load, new.at_ns, new.power_w, new.sd_w, new.n, new.range, new.operator, new.note, new.by_hand, new.simulated, new.begins_baseline)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER check_reading_crc_goes AFTER DELETE ON check_reading BEGIN
      DELETE FROM row_crc WHERE owner = 'check_reading' AND key = json_array(old.check_load, old.at_ns);
    END;
CREATE TRIGGER certificate_file_crc_comes AFTER INSERT ON certificate_file BEGIN
      INSERT INTO row_crc VALUES ('certificate_file', json_array(new.sha256), row_crc(new.sha256, new.content)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER certificate_file_crc_changes AFTER UPDATE ON certificate_file BEGIN
      DELETE FROM row_crc WHERE owner = 'certificate_file' AND key = json_array(old.sha256);
      INSERT INTO row_crc VALUES ('certificate_file', json_array(new.sha256), row_crc(new.sha256, new.content)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER certificate_file_crc_goes AFTER DELETE ON certificate_file BEGIN
      DELETE FROM row_crc WHERE owner = 'certificate_file' AND key = json_array(old.sha256);
    END;
CREATE TRIGGER certificate_crc_comes AFTER INSERT ON certificate BEGIN
      INSERT INTO row_crc VALUES ('certificate', json_array(new.revision), row_crc(new.revision, new.certificate_id, new.version, new.accepted_ns, new.reason, new.document, new.sha256, new.file_sha256)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER certificate_crc_changes AFTER UPDATE ON certificate BEGIN
      DELETE FROM row_crc WHERE owner = 'certificate' AND key = json_array(old.revision);
      INSERT INTO row_crc VALUES ('certificate', json_array(new.revision), row_crc(new.revision, new.certificate_id, new.version, new.accepted_ns, new.reason, new.document, new.sha256, new.file_sha256)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER certificate_crc_goes AFTER DELETE ON certificate BEGIN
      DELETE FROM row_crc WHERE owner = 'certificate' AND key = json_array(old.revision);
    END;
CREATE TRIGGER certificate_override_crc_comes AFTER INSERT ON certificate_override BEGIN
      INSERT INTO row_crc VALUES ('certificate_override', json_array(new.revision), row_crc(new.revision, new.decided_ns, new.certificate_id, new.signed_by, new.reason, new.accepts, new.run_id, new.serial)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER certificate_override_crc_changes AFTER UPDATE ON certificate_override BEGIN
      DELETE FROM row_crc WHERE owner = 'certificate_override' AND key = json_array(old.revision);
      INSERT INTO row_crc VALUES ('certificate_override', json_array(new.revision), row_crc(new.revision, new.decided_ns, new.certificate_id, new.signed_by, new.reason, new.accepts, new.run_id, new.serial)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER certificate_override_crc_goes AFTER DELETE ON certificate_override BEGIN
      DELETE FROM row_crc WHERE owner = 'certificate_override' AND key = json_array(old.revision);
    END;
CREATE TRIGGER statement_crc_comes AFTER INSERT ON statement BEGIN
      INSERT INTO row_crc VALUES ('statement', json_array(new.run_id, new.version), row_crc(new.run_id, new.version, new.stated_ns, new.shelf_revision, new.as_found, new.signed_by, new.reason, new.software)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER statement_crc_changes AFTER UPDATE ON statement BEGIN
      DELETE FROM row_crc WHERE owner = 'statement' AND key = json_array(old.run_id, old.version);
      INSERT INTO row_crc VALUES ('statement', json_array(new.run_id, new.version), row_crc(new.run_id, new.version, new.stated_ns, new.shelf_revision, new.as_found, new.signed_by, new.reason, new.software)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER statement_crc_goes AFTER DELETE ON statement BEGIN
      DELETE FROM row_crc WHERE owner = 'statement' AND key = json_array(old.run_id, old.version);
    END;
CREATE TRIGGER statement_result_crc_comes AFTER INSERT ON statement BEGIN
      INSERT INTO row_crc VALUES ('statement_result', json_array(new.run_id, new.version), row_crc(new.run_id, new.version, new.result)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER statement_result_crc_changes AFTER UPDATE ON statement BEGIN
      DELETE FROM row_crc WHERE owner = 'statement_result' AND key = json_array(old.run_id, old.version);
      INSERT INTO row_crc VALUES ('statement_result', json_array(new.run_id, new.version), row_crc(new.run_id, new.version, new.result)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER statement_result_crc_goes AFTER DELETE ON statement BEGIN
      DELETE FROM row_crc WHERE owner = 'statement_result' AND key = json_array(old.run_id, old.version);
    END;
CREATE TRIGGER trash_crc_comes AFTER INSERT ON trash BEGIN
      INSERT INTO row_crc VALUES ('trash', json_array(new.run_id), row_crc(new.run_id, new.trashed_ns)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER trash_crc_changes AFTER UPDATE ON trash BEGIN
      DELETE FROM row_crc WHERE owner = 'trash' AND key = json_array(old.run_id);
      INSERT INTO row_crc VALUES ('trash', json_array(new.run_id), row_crc(new.run_id, new.trashed_ns)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER trash_crc_goes AFTER DELETE ON trash BEGIN
      DELETE FROM row_crc WHERE owner = 'trash' AND key = json_array(old.run_id);
    END;
CREATE TRIGGER run_tag_crc_comes AFTER INSERT ON run_tag BEGIN
      INSERT INTO row_crc VALUES ('run_tag', json_array(new.run_id, new.tag), row_crc(new.run_id, new.tag)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER run_tag_crc_changes AFTER UPDATE ON run_tag BEGIN
      DELETE FROM row_crc WHERE owner = 'run_tag' AND key = json_array(old.run_id, old.tag);
      INSERT INTO row_crc VALUES ('run_tag', json_array(new.run_id, new.tag), row_crc(new.run_id, new.tag)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER run_tag_crc_goes AFTER DELETE ON run_tag BEGIN
      DELETE FROM row_crc WHERE owner = 'run_tag' AND key = json_array(old.run_id, old.tag);
    END;
CREATE TRIGGER run_note_crc_comes AFTER INSERT ON run_note BEGIN
      INSERT INTO row_crc VALUES ('run_note', json_array(new.run_id), row_crc(new.run_id, new.note)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER run_note_crc_changes AFTER UPDATE ON run_note BEGIN
      DELETE FROM row_crc WHERE owner = 'run_note' AND key = json_array(old.run_id);
      INSERT INTO row_crc VALUES ('run_note', json_array(new.run_id), row_crc(new.run_id, new.note)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER run_note_crc_goes AFTER DELETE ON run_note BEGIN
      DELETE FROM row_crc WHERE owner = 'run_note' AND key = json_array(old.run_id);
    END;
CREATE TRIGGER sink_crc_comes AFTER INSERT ON sink BEGIN
      INSERT INTO row_crc VALUES ('sink', json_array(new.id), row_crc(new.id, new.target, new.acknowledged, new.acknowledged_ns, new.refused, new.problem, new.remedy, new.problem_ns)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER sink_crc_changes AFTER UPDATE ON sink BEGIN
      DELETE FROM row_crc WHERE owner = 'sink' AND key = json_array(old.id);
      INSERT INTO row_crc VALUES ('sink', json_array(new.id), row_crc(new.id, new.target, new.acknowledged, new.acknowledged_ns, new.refused, new.problem, new.remedy, new.problem_ns)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER sink_crc_goes AFTER DELETE ON sink BEGIN
      DELETE FROM row_crc WHERE owner = 'sink' AND key = json_array(old.id);
    END;
CREATE TRIGGER unsent_crc_comes AFTER INSERT ON unsent BEGIN
      INSERT INTO row_crc VALUES ('unsent', json_array(new.sink_id, new.series_id), row_crc(new.sink_id, new.series_id, new.first, new.sealed)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER unsent_crc_changes AFTER UPDATE ON unsent BEGIN
      DELETE FROM row_crc WHERE owner = 'unsent' AND key = json_array(old.sink_id, old.series_id);
      INSERT INTO row_crc VALUES ('unsent', json_array(new.sink_id, new.series_id), row_crc(new.sink_id, new.series_id, new.first, new.sealed)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER unsent_crc_goes AFTER DELETE ON unsent BEGIN
      DELETE FROM row_crc WHERE owner = 'unsent' AND key = json_array(old.sink_id, old.series_id);
    END;
CREATE TRIGGER sent_live_crc_comes AFTER INSERT ON sent_live BEGIN
      INSERT INTO row_crc VALUES ('sent_live', json_array(new.sink_id, new.run_id), row_crc(new.sink_id, new.run_id, new.tail_id)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER sent_live_crc_changes AFTER UPDATE ON sent_live BEGIN
      DELETE FROM row_crc WHERE owner = 'sent_live' AND key = json_array(old.sink_id, old.run_id);
      INSERT INTO row_crc VALUES ('sent_live', json_array(new.sink_id, new.run_id), row_crc(new.sink_id, new.run_id, new.tail_id)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER sent_live_crc_goes AFTER DELETE ON sent_live BEGIN
      DELETE FROM row_crc WHERE owner = 'sent_live' AND key = json_array(old.sink_id, old.run_id);
    END;
CREATE TRIGGER unsent_run_crc_comes AFTER INSERT ON unsent_run BEGIN
      INSERT INTO row_crc VALUES ('unsent_run', json_array(new.sink_id, new.run_id), row_crc(new.sink_id, new.run_id, new.edition)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER unsent_run_crc_changes AFTER UPDATE ON unsent_run BEGIN
      DELETE FROM row_crc WHERE owner = 'unsent_run' AND key = json_array(old.sink_id, old.run_id);
      INSERT INTO row_crc VALUES ('unsent_run', json_array(new.sink_id, new.run_id), row_crc(new.sink_id, new.run_id, new.edition)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER unsent_run_crc_goes AFTER DELETE ON unsent_run BEGIN
      DELETE FROM row_crc WHERE owner = 'unsent_run' AND key = json_array(old.sink_id, old.run_id);
    END;
CREATE TRIGGER access_token_crc_comes AFTER INSERT ON access_token BEGIN
      INSERT INTO row_crc VALUES ('access_token', json_array(new.name), row_crc(new.name, new.role, new.digest, new.created_ns, new.used_ns, new.revoked_ns)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER access_token_crc_changes AFTER UPDATE ON access_token BEGIN
      DELETE FROM row_crc WHERE owner = 'access_token' AND key = json_array(old.name);
      INSERT INTO row_crc VALUES ('access_token', json_array(new.name), row_crc(new.name, new.role, new.digest, new.created_ns, new.used_ns, new.revoked_ns)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER access_token_crc_goes AFTER DELETE ON access_token BEGIN
      DELETE FROM row_crc WHERE owner = 'access_token' AND key = json_array(old.name);
    END;
CREATE TRIGGER alarm_crc_comes AFTER INSERT ON alarm BEGIN
      INSERT INTO row_crc VALUES ('alarm', json_array(new.number), row_crc(new.number, new.source, new.channel, new.side, new.limit_at, new.unit, new.run_must_keep, new.begin_ns, new.seen_ns, new.worst, new.end_ns, new.ended, new.closed_ns)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER alarm_crc_changes AFTER UPDATE ON alarm BEGIN
      DELETE FROM row_crc WHERE owner = 'alarm' AND key = json_array(old.number);
      INSERT INTO row_crc VALUES ('alarm', json_array(new.number), row_crc(new.number, new.source, new.channel, new.side, new.limit_at, new.unit, new.run_must_keep, new.begin_ns, new.seen_ns, new.worst, new.end_ns, new.ended, new.closed_ns)) ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
CREATE TRIGGER alarm_crc_goes AFTER DELETE ON alarm BEGIN
      DELETE FROM row_crc WHERE owner = 'alarm' AND key = json_array(old.number);
    END;
COMMIT;
