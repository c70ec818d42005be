\set customer random(1, 10000 * :scale)
DELETE FROM wattmark_order
  WHERE id = (SELECT id FROM wattmark_order WHERE customer_id = :customer ORDER BY placed LIMIT 1);
